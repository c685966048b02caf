"""Use cases of the questions that lead to a passage: add, edit, delete, have them written anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound
from core.jobs.enqueue import enqueue
from knowledge.constants import ChunkKind, DocumentState
from knowledge.corrections.edit import locked_chunk
from knowledge.corrections.jobs import EMBED_CORRECTED
from knowledge.corrections.rows import hash_of
from knowledge.enrich.asking import no_model_reason
from knowledge.enrich.made import MODEL, PERSON, passages_of
from knowledge.enrich.plan import enqueue_enrichment
from knowledge.enrich.questions import ENRICHMENT
from knowledge.ingest.index import index_some, unindex_chunks
from knowledge.models import Chunk, Document, Embedding

MOST_CHARACTERS = 500
MOST_QUESTIONS = 50


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question as people see it."""

    id: UUID
    text: str
    version: int
    is_by_person: bool
    matches: bool
    """Whether it was written for what the passage says now."""


def questions_of(chunks: Sequence[Chunk]) -> dict[UUID, list[Question]]:
    """Return the questions of passages that the caller may see."""
    hashes = {chunk.pk: chunk.content_hash for chunk in chunks}
    rows = Chunk.objects.filter(kind=ChunkKind.QUESTION, parent_id__in=list(hashes))
    found: dict[UUID, list[Question]] = {}
    for row in rows.order_by("position"):
        if row.parent_id is None:
            continue
        found.setdefault(row.parent_id, []).append(
            Question(
                id=row.pk,
                text=row.text,
                version=row.version,
                is_by_person=row.detail.get("origin") == PERSON,
                matches=row.detail.get("source_hash") == hashes[row.parent_id],
            )
        )
    return found


def add_question(actor: Actor, *, chunk_id: UUID, text: str) -> Chunk:
    """Add a question by which a passage is found.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the passage.
        Invalid: it is blank or too long, or the passage has too many.
        Conflict: the passage has it already.
    """
    cleaned = _clean(text)
    with transaction.atomic():
        passage = locked_chunk(actor, chunk_id=chunk_id, version=None)
        _refuse_twice(passage, cleaned)
        rows = Chunk.objects.filter(document=passage.document, kind=ChunkKind.QUESTION)
        if rows.filter(parent=passage).count() >= MOST_QUESTIONS:
            raise Invalid(_("A passage has at most %(most)s questions.") % {"most": MOST_QUESTIONS})
        last = rows.aggregate(last=Max("position"))["last"]
        question = Chunk.objects.create(
            space_id=passage.space_id,
            base_id=passage.base_id,
            document=passage.document,
            document_revision=passage.document_revision,
            kind=ChunkKind.QUESTION,
            position=0 if last is None else last + 1,
            text=cleaned,
            content_hash=hash_of(cleaned),
            heading_path=passage.heading_path,
            page_from=passage.page_from,
            page_to=passage.page_to,
            char_start=passage.char_start,
            char_end=passage.char_end,
            parent=passage,
            detail={"origin": PERSON, "source_hash": passage.content_hash},
        )
        _index(question, passage.document)
        _audit(actor, "chunk.question_add", passage)
    return question


def edit_question(actor: Actor, *, question_id: UUID, version: int, text: str) -> Chunk:
    """Let a question ask in other words; it is the person's from now on, and fits the passage.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the passage.
        Invalid: it is blank or too long.
        Conflict: it was changed meanwhile, or the passage has the very same one.
    """
    cleaned = _clean(text)
    with transaction.atomic():
        question, passage = _locked(actor, question_id)
        if question.version != version:
            raise Conflict(_("Somebody else changed this question while you were editing."))
        if question.text != cleaned:
            _refuse_twice(passage, cleaned)
            Embedding.objects.filter(chunk=question).delete()
        question.text, question.content_hash = cleaned, hash_of(cleaned)
        question.version += 1
        question.detail = {"origin": PERSON, "source_hash": passage.content_hash}
        question.save(update_fields=["text", "content_hash", "version", "detail"])
        _index(question, passage.document)
        _audit(actor, "chunk.question_edit", passage)
    return question


def delete_question(actor: Actor, *, question_id: UUID) -> None:
    """Take a question away.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the passage.
    """
    with transaction.atomic():
        question, passage = _locked(actor, question_id)
        unindex_chunks(passage.document, chunk_ids=[question.pk])
        question.delete()
        _audit(actor, "chunk.question_delete", passage)


def regenerate_questions(actor: Actor, *, chunk_id: UUID) -> None:
    """Have the questions that a model wrote for a passage written anew; those of people stay.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the passage.
        Conflict: there is no model for it, the document is being read, or the passage is off.
    """
    with transaction.atomic():
        passage = locked_chunk(actor, chunk_id=chunk_id, version=None)
        document = passage.document
        if reason := no_model_reason(document.space_id):
            raise Conflict(reason)
        if document.state != DocumentState.COMPLETED:
            raise Conflict(_("The document is being read; its questions come after that."))
        order = [each.pk for each in passages_of(document)]
        if passage.pk not in order:
            raise Conflict(_("The passage is switched off; nobody finds it by questions."))
        old = Chunk.objects.filter(
            parent=passage, kind=ChunkKind.QUESTION, detail__origin=MODEL
        ).values_list("pk", flat=True)
        gone = list(old)
        unindex_chunks(document, chunk_ids=gone)
        Chunk.objects.filter(pk__in=gone).delete()
        # Passages behind it whose questions stand are passed over.
        enqueue_enrichment(document, ENRICHMENT, begin=order.index(passage.pk))
        _audit(actor, "chunk.question_regenerate", passage)


def _locked(actor: Actor, question_id: UUID) -> tuple[Chunk, Chunk]:
    """Return a question and its passage, which the actor may change, with the document locked."""
    found = Chunk.objects.filter(pk=question_id, kind=ChunkKind.QUESTION).first()
    if found is None or found.parent_id is None:
        raise NotFound(_("There is no such question."))
    require(actor, "view", found)
    passage = locked_chunk(actor, chunk_id=found.parent_id, version=None)
    question = Chunk.objects.select_for_update(of=("self",)).filter(pk=question_id).first()
    if question is None:
        raise NotFound(_("There is no such question."))
    return question, passage


def _clean(text: str) -> str:
    cleaned = " ".join(text.replace("\x00", "").split())
    if not cleaned or len(cleaned) > MOST_CHARACTERS:
        raise Invalid(
            _("Enter a question of at most %(most)s characters.") % {"most": MOST_CHARACTERS}
        )
    return cleaned


def _refuse_twice(passage: Chunk, text: str) -> None:
    same = Chunk.objects.filter(parent=passage, kind=ChunkKind.QUESTION, text__iexact=text)
    if same.exists():
        raise Conflict(_("The passage has this question already."))


def _index(question: Chunk, document: Document) -> None:
    index_some(document, chunk_ids=[question.pk])
    enqueue(EMBED_CORRECTED, dedupe_key=str(document.pk), document_id=str(document.pk))


def _audit(actor: Actor, action: str, passage: Chunk) -> None:
    record_audit(
        actor, action, target=passage.document, passage=passage.position + 1, chunk=str(passage.pk)
    )
