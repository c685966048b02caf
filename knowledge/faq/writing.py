"""Writes entries with their question rows and what is indexed of them. It asks nobody.

Callers have the base's lock (`knowledge.access.fit.lock_base`) and are in a transaction: what they
found out about other entries' questions holds until they have written.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import Max

from core.jobs.enqueue import enqueue
from knowledge.access.fit import raise_walls
from knowledge.constants import DocumentSource, DocumentState
from knowledge.faq.drafts import EntryDraft
from knowledge.faq.jobs import INDEX_ENTRIES
from knowledge.faq.normal_form import normal_form, question_hash
from knowledge.models import Chunk, Document, FaqEntry, FaqQuestion, KnowledgeBase, Tag


def write_entry(
    entry: FaqEntry, draft: EntryDraft, *, user_id: int | None, tag: Tag | None
) -> FaqEntry:
    """Make the entry say what the draft says; a stored one gets another version."""
    is_new = entry._state.adding
    texts_stay = not is_new and entry.content_hash == draft.content_hash and _same(entry, draft)
    entry.standard_question = draft.standard_question
    entry.similar_questions = list(draft.similar_questions)
    entry.negative_questions = list(draft.negative_questions)
    entry.answers = list(draft.answers)
    entry.answer_strategy, entry.tag = draft.strategy, tag
    entry.is_enabled, entry.is_recommended = draft.is_enabled, draft.is_recommended
    entry.content_hash, entry.updated_by_id = draft.content_hash, user_id
    if is_new:
        entry.number = next_number(entry.base_id)
    else:
        entry.version += 1
    if not texts_stay:
        entry.indexed_at = None
    entry.save()
    if not texts_stay:
        write_questions(entry)
    Chunk.objects.filter(faq_entry=entry).update(is_enabled=is_found(entry))
    return entry


def write_questions(entry: FaqEntry) -> None:
    """Make the question rows what the entry says."""
    FaqQuestion.objects.filter(entry=entry).delete()
    kinds = (
        ("standard", [entry.standard_question]),
        ("similar", entry.similar_questions),
        ("negative", entry.negative_questions),
    )
    FaqQuestion.objects.bulk_create(
        FaqQuestion(
            space_id=entry.space_id,
            base_id=entry.base_id,
            entry=entry,
            kind=kind,
            normal_form=normal_form(text),
            text_hash=question_hash(text),
        )
        for kind, texts in kinds
        for text in texts
    )


def trash_entries(base_id: UUID, entry_ids: Iterable[UUID] | None, *, at: datetime) -> int:
    """Take entries out of everybody's sight; None: all of the base. Their questions are free."""
    rows = FaqEntry.objects.filter(base_id=base_id, trashed_at__isnull=True)
    if entry_ids is not None:
        rows = rows.filter(pk__in=list(entry_ids))
    ids = list(rows.values_list("pk", flat=True))
    FaqQuestion.objects.filter(entry_id__in=ids).delete()
    Chunk.objects.filter(faq_entry_id__in=ids).update(is_enabled=False)
    return FaqEntry.objects.filter(pk__in=ids).update(trashed_at=at)


def is_found(entry: FaqEntry) -> bool:
    """Whether its passages are to be found."""
    return entry.is_enabled and entry.trashed_at is None


def next_number(base_id: UUID) -> int:
    """Return the number of the base's next entry; numbers of deleted ones are not used again."""
    last = FaqEntry.objects.filter(base_id=base_id).aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def index_soon(base: KnowledgeBase) -> None:
    """Have a job index what changed; one that waits already does it."""
    document_of(base)
    enqueue(INDEX_ENTRIES, dedupe_key=str(base.pk), base_id=str(base.pk))


def document_of(base: KnowledgeBase) -> Document:
    """Return the row under which the passages of the base's entries stand; made when missing."""
    found = Document.objects.filter(base=base, source=DocumentSource.FAQ).first()
    if found is not None:
        return found
    document = Document.objects.create(
        space_id=base.space_id,
        base=base,
        name=base.name,
        source=DocumentSource.FAQ,
        state=DocumentState.COMPLETED,
        size_bytes=0,
        revision=1,
    )
    raise_walls([document])
    return document


def _same(entry: FaqEntry, draft: EntryDraft) -> bool:
    """Say whether the texts are the very same; equal hashes forgive marks and order."""
    return (
        entry.standard_question == draft.standard_question
        and entry.similar_questions == list(draft.similar_questions)
        and entry.negative_questions == list(draft.negative_questions)
        and entry.answers == list(draft.answers)
    )
