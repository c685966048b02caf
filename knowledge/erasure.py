"""What knowledge erases of a document, a person's documents and a space: rows, vectors, files, evidence."""

from __future__ import annotations

import functools
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.platform.erasure import (
    Counts,
    Described,
    Subject,
    add_counts,
    begin,
    erase_now,
    register_beginning,
    register_describer,
    register_eraser,
)
from core.jobs.enqueue import cancel_job
from knowledge.access.fit import made_of
from knowledge.constants import DocumentState
from knowledge.models import (
    Chunk,
    Document,
    DocumentPicture,
    Embedding,
    EvaluationResult,
    EvidenceRow,
    GoldenQuestion,
    GraphMention,
    KeywordRow,
    KnowledgeBase,
    RemovedDocument,
)
from knowledge.services.removal import remove_document
from knowledge.storage import delete_folder, space_folder


@register_describer("document")
def describe_document(subject_id: str) -> Described | None:
    """Find a document; the holds of its space and of who brought it count."""
    try:
        row = Document.objects.filter(pk=UUID(subject_id)).first()
    except ValueError:
        return None
    if row is None:
        return None
    people = (row.uploaded_by_id,) if row.uploaded_by_id else ()
    return Described(
        subject=Subject(kind="document", id=str(row.pk), space_id=row.space_id),
        name=row.name,
        user_ids=people,
        space_ids=(row.space_id,),
    )


@register_beginning("document")
def hide_document(subject: Subject) -> None:
    """Take the document out of everybody's sight, and stop reading it."""
    row = Document.objects.filter(pk=subject.id).first()
    if row is None:
        return
    if row.job_id:
        cancel_job(row.job_id)
    Document.objects.filter(pk=row.pk).update(state=DocumentState.DELETING, searchable_at=None)


@register_eraser("document", name="knowledge.document")
def erase_document(subject: Subject) -> Counts:
    """Erase the document with passages, pictures, vectors, keyword rows, kept text and file.

    The file stays while another document has the very same bytes; evidence of it becomes a
    tombstone: what was cited is gone, its hash stays.
    """
    document_id = UUID(subject.id)
    counts = {
        "knowledge.EvidenceRow (text)": _bury(EvidenceRow.objects.filter(document_id=document_id))
    }
    row = Document.objects.filter(pk=document_id).first()
    if row is None:
        return counts
    add_counts(counts, _parts_of(row))
    same = Document.objects.filter(space_id=row.space_id, content_hash=row.content_hash)
    others = same.exclude(pk=row.pk)
    counts["files kept for other documents" if others.exists() else "files"] = 1
    Document.objects.filter(pk=row.pk).update(state=DocumentState.DELETING, searchable_at=None)
    remove_document(row.pk)
    return counts


@register_eraser("document", name="knowledge.made")
def erase_made(subject: Subject) -> Counts:
    """Erase what was made of the document and searched beside it, with all that was read of that."""
    counts: dict[str, int] = {}
    for made in made_of([UUID(subject.id)]):
        own = Subject(kind="document", id=str(made.pk), space_id=made.space_id)
        begin(own)
        add_counts(counts, erase_now(own))
    return counts


@register_eraser("document", name="knowledge.evaluation")
def erase_evaluations(subject: Subject) -> Counts:
    """Erase golden questions that rest on the document, and the words of results behind which it stands.

    The figures stay: they say nothing of it.
    """
    wanted = str(UUID(subject.id))
    named = [{"document_id": wanted}]
    golden = GoldenQuestion.objects.filter(expected__contains=named)
    behind = Q(expected__contains=named) | Q(document_ids__contains=[wanted])
    results = EvaluationResult.objects.filter(behind | Q(ranked__contains=named))
    counts = {"knowledge.GoldenQuestion": golden.delete()[0]}
    counts["knowledge.EvaluationResult (text)"] = results.update(
        **dict.fromkeys(("question", "reference", "answer", "error"), ""),
        **dict.fromkeys(("expected", "ranked", "gone", "document_ids"), []),
        judged={},
        golden=None,
    )
    return counts


@register_eraser("person", name="knowledge.golden")
def erase_questions_of(subject: Subject) -> Counts:
    """Erase golden questions that were a person's own words in a conversation, with their results."""
    golden = GoldenQuestion.objects.filter(asked_by_id=int(subject.id))
    results = EvaluationResult.objects.filter(golden__in=golden.values("pk"))
    emptied = results.update(question="", reference="", answer="", judged={}, error="")
    return {
        "knowledge.EvaluationResult (text)": emptied,
        "knowledge.GoldenQuestion": golden.delete()[0],
    }


@register_eraser("person", name="knowledge.documents")
def erase_documents_of(subject: Subject) -> Counts:
    """Erase the documents that a person brought, when that was asked for; else they stay."""
    if not subject.with_documents:
        return {}
    counts: dict[str, int] = {}
    rows = Document.objects.filter(uploaded_by_id=int(subject.id)).values_list("pk", "space_id")
    for document_id, space_id in list(rows):
        own = Subject(kind="document", id=str(document_id), space_id=space_id)
        begin(own)
        add_counts(counts, erase_now(own))
    return counts


@register_eraser("space", name="knowledge.space")
def erase_space(subject: Subject) -> Counts:
    """Erase all bases of a space with its whole folder; evidence in other spaces, too."""
    space_id = int(subject.id)
    bases = KnowledgeBase.objects.filter(space_id=space_id)
    cited = EvidenceRow.objects.filter(base_id__in=bases.values("pk")).exclude(space_id=space_id)
    counts = {"knowledge.EvidenceRow (text)": _bury(cited)}
    for base in bases:
        Document.objects.filter(base=base).update(state=DocumentState.DELETING)
    counts["knowledge.RemovedDocument"] = RemovedDocument.objects.filter(
        space_id=space_id
    ).delete()[0]
    add_counts(counts, dict(bases.delete()[1]))
    transaction.on_commit(functools.partial(delete_folder, space_folder(space_id)))
    return counts


def _parts_of(document: Document) -> dict[str, int]:
    chunks = Chunk.objects.filter(document=document)
    return {
        "knowledge.Document": 1,
        "knowledge.DocumentPicture": DocumentPicture.objects.filter(document=document).count(),
        "knowledge.Chunk": chunks.count(),
        "knowledge.Embedding": Embedding.objects.filter(chunk__in=chunks.values("pk")).count(),
        "knowledge.GraphMention": GraphMention.objects.filter(document=document).count(),
        "knowledge.KeywordRow": KeywordRow.objects.filter(chunk__in=chunks.values("pk")).count(),
    }


def _bury(cited: QuerySet[EvidenceRow]) -> int:
    """Leave of evidence only that there was a source, and the hash of the passage."""
    return cited.exclude(text="", document_name="").update(
        text="", document_name="", heading_path=[], box=None
    )
