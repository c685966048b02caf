"""What knowledge puts into the copy of a space: bases, documents, passages, and the original files."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from accounts.access import Actor, visible
from accounts.platform.export import (
    ExportFile,
    Row,
    Table,
    export_files,
    export_table,
    leave_out,
)
from knowledge.evaluation.export import open_golden, open_results
from knowledge.models import (
    BaseMark,
    BaseShare,
    Chunk,
    Correction,
    CorrectionRevision,
    Document,
    DocumentBasis,
    DocumentPicture,
    DocumentTag,
    DocumentVersion,
    DocumentWall,
    Embedding,
    EmbeddingChange,
    EvaluationResult,
    EvaluationRun,
    EvidenceRow,
    FaqEntry,
    FaqImport,
    FaqQuestion,
    Folder,
    GoldenQuestion,
    GraphEntity,
    GraphMention,
    GraphPassage,
    GraphRelation,
    IngestBatch,
    KeywordRow,
    KnowledgeBase,
    PageHealth,
    RemovedDocument,
    Restriction,
    SearchRecord,
    Stage,
    Tag,
    TermStatistic,
)
from knowledge.searches.reading import open_candidates
from knowledge.storage import open_file


def _open_searches(actor: Actor, rows: list[Row]) -> list[Row]:
    """Take out what was found in documents that are closed to the person now."""
    return [
        {
            **row,
            "hits": open_candidates(actor, row["hits"]),
            "trace": {
                **row["trace"],
                "candidates": open_candidates(actor, row["trace"].get("candidates", [])),
            },
        }
        for row in rows
    ]


for _model in (
    *(KnowledgeBase, Folder, Tag, Document, DocumentVersion, DocumentTag, DocumentPicture),
    *(Chunk, Correction, CorrectionRevision, FaqEntry, Restriction, BaseShare),
    *(GraphEntity, GraphRelation, GraphMention, EvaluationRun),
):
    export_table(Table(model=_model))
export_table(Table(model=GoldenQuestion, as_seen=open_golden))
export_table(Table(model=EvaluationResult, as_seen=open_results))
export_table(Table(model=BaseMark, own="user_id"))
export_table(Table(model=SearchRecord, own="user_id", as_seen=_open_searches))
leave_out(DocumentBasis, "follows from the sources of wiki pages")
leave_out(DocumentWall, "follows from restrictions and folders")
leave_out(Embedding, "made from the passages again")
leave_out(EmbeddingChange, "how vectors were made here once")
leave_out(KeywordRow, "made from the passages again")
leave_out(TermStatistic, "made from the passages again")
leave_out(Stage, "how a file was read here once")
leave_out(PageHealth, "how a file was read here once")
leave_out(IngestBatch, "how files were read here once")
leave_out(GraphPassage, "how passages were read here once")
leave_out(FaqImport, "how entries came in once")
leave_out(FaqQuestion, "made from the entries again")
leave_out(RemovedDocument, "says that something is gone")
leave_out(EvidenceRow, "belongs to answers of all people, and quotes other spaces")


@export_files
def original_files(actor: Actor) -> Iterator[ExportFile]:
    """Yield the files as they were uploaded."""
    stored = Document.objects.exclude(content_hash="")  # an address that was not fetched yet
    rows = visible(actor, "view", stored).order_by("pk")
    for pk, name, digest in rows.values_list("pk", "name", "content_hash").iterator():
        yield ExportFile(
            path=f"files/{pk}/{name.replace('/', '_')}",
            open=functools.partial(open_file, actor.space_id, digest),
        )
