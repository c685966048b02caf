"""What knowledge puts into the copy of a space: bases, documents, passages, and the original files."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from accounts.access import Actor, visible
from accounts.platform.export import ExportFile, Table, export_files, export_table, leave_out
from knowledge.models import (
    BaseMark,
    BaseShare,
    Chunk,
    Correction,
    CorrectionRevision,
    Document,
    DocumentPicture,
    DocumentTag,
    DocumentVersion,
    DocumentWall,
    Embedding,
    EvidenceRow,
    FaqEntry,
    FaqImport,
    FaqQuestion,
    Folder,
    IngestBatch,
    KeywordRow,
    KnowledgeBase,
    PageHealth,
    RemovedDocument,
    Restriction,
    Stage,
    Tag,
    TermStatistic,
)
from knowledge.storage import open_file

for _model in (
    *(KnowledgeBase, Folder, Tag, Document, DocumentVersion, DocumentTag, DocumentPicture),
    *(Chunk, Correction, CorrectionRevision, FaqEntry, Restriction, BaseShare),
):
    export_table(Table(model=_model))
export_table(Table(model=BaseMark, own="user_id"))
leave_out(DocumentWall, "follows from restrictions and folders")
leave_out(Embedding, "made from the passages again")
leave_out(KeywordRow, "made from the passages again")
leave_out(TermStatistic, "made from the passages again")
leave_out(Stage, "how a file was read here once")
leave_out(PageHealth, "how a file was read here once")
leave_out(IngestBatch, "how files were read here once")
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
