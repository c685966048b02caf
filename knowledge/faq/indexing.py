"""Makes entries findable: their passages under the base's one document, embedded and indexed.

Only entries without `indexed_at` are touched, so that it may run twice and goes on after a kill.
What is read of each passage is question and answers; what is embedded and indexed follows the
base's settings (`Chunk.detail`, key `indexed_as`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import ServiceFailed
from core.jobs.handlers import JobContext
from knowledge.base_settings import FaqOptions, base_settings_of
from knowledge.constants import ChunkKind
from knowledge.faq.answers import text_of
from knowledge.faq.drafts import MOST_QUESTIONS
from knowledge.faq.writing import document_of, is_found
from knowledge.ingest.embed import embed_chunks, embeds_with_another
from knowledge.ingest.index import index_some, lock_base, unindex_chunks
from knowledge.models import Chunk, Document, FaqEntry, KnowledgeBase
from knowledge.reembedding.soon import catch_up_soon
from knowledge.text.passages import INDEXED_AS
from providers.contracts.errors import ModelError
from providers.services.clients import get_embedding_model

ENTRIES_AT_ONCE = 100
_STRIDE = MOST_QUESTIONS + 28
"""Positions that an entry may use: those of two entries never meet."""
MODE = "mode"
"""Key of `Chunk.detail`: under which settings the passage was made."""


def index_entries(context: JobContext, *, base_id: UUID) -> int:
    """Index every entry of the base that waits for it; returns how many there were.

    Raises:
        JobCancelled: it was stopped, or another worker has the job.
        ServiceFailed: the embedding model failed; it says whether to retry.
    """
    base = KnowledgeBase.objects.filter(pk=base_id, deleted_at__isnull=True).first()
    if base is None:
        return 0
    document, options = document_of(base), base_settings_of(base).faq
    _forget_other_modes(base, options)
    done = 0
    while batch := list(_waiting(base)[:ENTRIES_AT_ONCE]):
        context.check()
        try:
            _index_batch(context, document, batch, options)
        except ModelError as error:
            reason = _("The embedding model failed: %(reason)s") % {"reason": error.message}
            FaqEntry.objects.filter(pk__in=[entry.pk for entry in batch]).update(index_error=reason)
            raise ServiceFailed(
                reason, retry=error.retry, retry_after_seconds=error.retry_after_seconds
            ) from error
        done += len(batch)
    return done


def passages_of(entry: FaqEntry, options: FaqOptions) -> list[dict[str, Any]]:
    """Return what each passage of the entry is indexed as, with the question that it stands for."""
    questions = [entry.standard_question, *entry.similar_questions]
    if options.question_index == "combined":
        asked = [("\n".join(questions), entry.standard_question)]
    else:
        asked = [(question, question) for question in questions]
    with_answers = options.index_mode == "question_answer"
    return [
        {
            INDEXED_AS: text_of(text, entry.answers) if with_answers else text,
            "question": question,
            MODE: mode_of(options),
        }
        for text, question in asked
    ]


def mode_of(options: FaqOptions) -> str:
    """Return the settings as one word."""
    return f"{options.index_mode}/{options.question_index}"


def _waiting(base: KnowledgeBase) -> Any:
    rows = FaqEntry.objects.filter(base=base, indexed_at__isnull=True, trashed_at__isnull=True)
    return rows.order_by("number")


def _forget_other_modes(base: KnowledgeBase, options: FaqOptions) -> None:
    """Let entries wait again whose passages were made under other settings."""
    other = Chunk.objects.filter(base=base, kind=ChunkKind.FAQ).exclude(
        **{f"detail__{MODE}": mode_of(options)}
    )
    FaqEntry.objects.filter(pk__in=other.values("faq_entry_id")).update(indexed_at=None)


def _index_batch(
    context: JobContext, document: Document, batch: Sequence[FaqEntry], options: FaqOptions
) -> None:
    versions = {entry.pk: entry.version for entry in batch}
    with transaction.atomic():
        context.check_lease()
        lock_base(document.base_id)
        for entry in batch:
            _replace_passages(document, entry, options)
    base = KnowledgeBase.objects.select_related("embedding_model").get(pk=document.base_id)
    model = get_embedding_model(base.embedding_model, background=True)
    embed_chunks(document, model=model, should_cancel=lambda: context.cancelled)
    context.check()
    with transaction.atomic():
        context.check_lease()
        lock_base(document.base_id)
        if embeds_with_another(base):  # switched meanwhile: they wait for the next round
            return
        chunks = Chunk.objects.filter(faq_entry_id__in=list(versions))
        index_some(document, chunk_ids=list(chunks.values_list("pk", flat=True)))
        KnowledgeBase.objects.filter(pk=document.base_id, embedding_identity="").update(
            embedding_identity=model.identity
        )
        now = timezone.now()
        for pk, version in versions.items():  # one that changed meanwhile waits for the next round
            FaqEntry.objects.filter(pk=pk, version=version).update(indexed_at=now, index_error="")
        Document.objects.filter(pk=document.pk).update(
            searchable_at=now,
            chunk_count=Chunk.objects.filter(document=document).count(),
            revision=F("revision") + 1,
        )
    catch_up_soon(base.pk, embedded_with=model.identity)


def _replace_passages(document: Document, entry: FaqEntry, options: FaqOptions) -> None:
    """Make the entry's passages what it says; one that is indexed as before keeps its row."""
    text = text_of(entry.standard_question, entry.answers)
    wanted = passages_of(entry, options)
    standing = {
        (chunk.text, str(chunk.detail.get(INDEXED_AS))): chunk
        for chunk in Chunk.objects.filter(faq_entry=entry)
    }
    kept = [standing.pop((text, detail[INDEXED_AS]), None) for detail in wanted]
    gone = [chunk.pk for chunk in standing.values()]
    if gone:
        unindex_chunks(document, chunk_ids=gone)
        Chunk.objects.filter(pk__in=gone).delete()
    for place, (chunk, detail) in enumerate(zip(kept, wanted, strict=True)):
        row = chunk or Chunk(
            space_id=document.space_id,
            base_id=document.base_id,
            document=document,
            kind=ChunkKind.FAQ,
            faq_entry=entry,
            text=text,
            content_hash=hashlib.sha256(text.encode()).hexdigest(),
            char_start=0,
            char_end=len(text),
        )
        row.position = entry.number * _STRIDE + place
        row.document_revision, row.detail = document.revision, detail
        row.is_enabled = is_found(entry)
        row.save()
