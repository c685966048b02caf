"""Copies of whole bases: a new base with the same settings, and with the content when that is wanted.

The content comes by a job that may run twice: what is there already is not copied again. Documents
that come this way are a batch of the new base, which shows how far it is and can be cancelled.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accounts.access import Actor, require, visible
from accounts.actors import actor_of
from accounts.services.audit import record_audit
from accounts.services.quota import require_storage
from core.errors import AccessDenied, LimitReached, NotFound
from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobCancelled, JobContext, RetryJob
from knowledge.access.fit import lock_base
from knowledge.base_settings import base_settings_of
from knowledge.batches.spending import settle
from knowledge.constants import BaseKind, BatchState
from knowledge.faq.drafts import draft_of
from knowledge.faq.writing import index_soon, write_entry
from knowledge.ingest.pressure import require_room_to_wait
from knowledge.models import Document, FaqEntry, IngestBatch, KnowledgeBase, Tag
from knowledge.organising.carry import copy_document
from knowledge.organising.jobs import COPY_BASE
from knowledge.queries import get_base, list_documents
from knowledge.services.bases import create_base

_ENTRIES_AT_ONCE = 100


def copy_base(
    actor: Actor, *, base_id: UUID, name: str, with_content: bool
) -> tuple[KnowledgeBase, IngestBatch | None]:
    """Make a base with the settings, model and tags of another; its content by a job.

    Who reads the copy is decided anew: restrictions and shares are not copied, and only what the
    actor sees comes along.

    Returns:
        The new base, and the batch that its documents come in; None when none come.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base and for making one.
        Invalid, Conflict: the name is blank, too long or taken.
        LimitReached: the space has no room for the content.
    """
    source = get_base(actor, base_id)
    require(actor, "change", source)
    documents = _whole(actor, source)
    if with_content:
        sizes = documents.values_list("size_bytes", flat=True)
        require_storage(actor.space_id, more_bytes=sum(sizes))
    with transaction.atomic():
        made = create_base(
            actor,
            name=name,
            description=source.description,
            settings=base_settings_of(source),
            kind=BaseKind(source.kind),
        )
        made.embedding_model = source.embedding_model
        made.save(update_fields=["embedding_model"])
        _copy_tags(source, made)
        if not with_content:
            return made, None
        batch = _begin(actor, made, documents=documents.count())
        enqueue(
            COPY_BASE,
            dedupe_key=str(made.pk),
            source_id=str(source.pk),
            batch_id=str(batch.pk),
        )
        record_audit(actor, "base.copy", target=made, base_id=made.pk, old=str(source.pk))
    return made, batch if made.kind == BaseKind.DOCUMENT else None


def run_copy(context: JobContext, *, source_id: UUID, batch_id: UUID) -> None:
    """Copy what the new base does not hold yet.

    Raises:
        JobCancelled: the batch was cancelled, a base went, or who began it may not any more.
        RetryJob: too many documents wait; it goes on later.
    """
    batch = IngestBatch.objects.select_related("base", "created_by").filter(pk=batch_id).first()
    if batch is None or batch.state == BatchState.CANCELLED or batch.created_by is None:
        raise JobCancelled("The copy was canceled.")
    actor = _copier(batch)
    source = get_base(actor, source_id)
    if source.kind == BaseKind.FAQ:
        _copy_entries(context, actor, source, batch.base)
    else:
        _copy_documents(context, actor, source, batch)
    IngestBatch.objects.filter(pk=batch.pk).update(uploads={"is_complete": True})
    settle(batch.pk)


def _copier(batch: IngestBatch) -> Actor:
    assert batch.created_by is not None  # asked by the caller
    try:
        actor = actor_of(batch.created_by, space_id=batch.space_id)
        require(actor, "edit", batch.base)
    except (NotFound, AccessDenied) as refusal:
        raise JobCancelled(
            "Who began the copy may not edit the knowledge base any more."
        ) from refusal
    return actor


def _copy_documents(
    context: JobContext, actor: Actor, source: KnowledgeBase, batch: IngestBatch
) -> None:
    there = set(
        Document.objects.filter(batch=batch).values_list("folder_path", "name", "content_hash")
    )
    for document in _whole(actor, source).order_by("created_at", "pk").iterator(chunk_size=200):
        if (document.folder_path, document.name, document.content_hash) in there:
            continue
        context.check()
        _check_batch(batch)
        try:
            require_room_to_wait()
        except LimitReached as full:
            raise RetryJob(full.message, delay_seconds=60.0) from full
        with transaction.atomic():
            context.check_lease()
            copy_document(actor, document, batch.base, batch_id=batch.pk)


def _copy_entries(
    context: JobContext, actor: Actor, source: KnowledgeBase, target: KnowledgeBase
) -> None:
    tags = {tag.name: tag for tag in Tag.objects.filter(base=target)}
    there = set(FaqEntry.objects.filter(base=target).values_list("content_hash", flat=True))
    rows = visible(actor, "view", FaqEntry.objects.filter(base=source, trashed_at__isnull=True))
    ordered = rows.select_related("tag").order_by("number")
    left = [row for row in ordered if row.content_hash not in there]
    for start in range(0, len(left), _ENTRIES_AT_ONCE):
        with transaction.atomic():
            context.check_lease()
            lock_base(target.pk)
            for row in left[start : start + _ENTRIES_AT_ONCE]:
                draft = draft_of(row)
                entry = FaqEntry(space_id=target.space_id, base=target)
                write_entry(entry, draft, user_id=actor.user_id, tag=tags.get(draft.tag))
            index_soon(target)


def _whole(actor: Actor, source: KnowledgeBase) -> QuerySet[Document]:
    """Return what is copied of a base: parts of other files come by reading those."""
    return list_documents(actor, source.pk).filter(parent__isnull=True).exclude(content_hash="")


def _begin(actor: Actor, made: KnowledgeBase, *, documents: int) -> IngestBatch:
    return IngestBatch.objects.create(
        space_id=actor.space_id,
        base=made,
        estimate={"documents": documents},
        created_by_id=actor.user_id,
    )


def _check_batch(batch: IngestBatch) -> None:
    state = IngestBatch.objects.filter(pk=batch.pk).values_list("state", flat=True).first()
    if state in (None, BatchState.CANCELLED):
        raise JobCancelled("The copy was canceled.")


def _copy_tags(source: KnowledgeBase, made: KnowledgeBase) -> None:
    Tag.objects.bulk_create(
        Tag(
            space_id=made.space_id,
            base=made,
            name=tag.name,
            color=tag.color,
            position=tag.position,
        )
        for tag in Tag.objects.filter(base=source)
    )
