"""The trash: out of everybody's sight at once, restored with a word, gone for good after some days."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.jobs.enqueue import cancel_job
from knowledge.access.fit import lock_base, raise_walls
from knowledge.constants import OPEN_STATES, DocumentState
from knowledge.models import Document
from knowledge.queries import get_base, get_document
from knowledge.services.removal import remove_later

_BATCH = 500
STOPPED = gettext_noop("It was put into the trash while it was being read.")


@dataclass(frozen=True, kw_only=True)
class Trashed:
    """What went into the trash: enough to take it out again."""

    base_id: UUID
    document_ids: tuple[UUID, ...]


def trash_document(actor: Actor, *, document_id: UUID) -> Trashed:
    """Put a document, with what came in it, into the trash.

    Raises:
        NotFound, AccessDenied: as `require` has it for deleting the document.
    """
    document = get_document(actor, document_id)
    require(actor, "delete", document)
    with transaction.atomic():
        put_into_trash(actor, [document])
        record_audit(actor, "document.trash", target=document, folder=document.folder_path)
    return Trashed(base_id=document.base_id, document_ids=(document.pk,))


def put_into_trash(actor: Actor, documents: Sequence[Document]) -> None:
    """Mark the documents and what came in them, and stop reading them; the caller asks and audits."""
    ids = _with_members(each.pk for each in documents)
    rows = Document.objects.filter(pk__in=ids, trashed_at__isnull=True)
    for job_id in rows.filter(state__in=OPEN_STATES).values_list("job_id", flat=True):
        if job_id is not None:
            cancel_job(job_id)
    rows.filter(state__in=OPEN_STATES).update(
        state=DocumentState.CANCELLED, reason_code="cancelled", reason=STOPPED
    )
    rows.update(trashed_at=timezone.now(), trashed_by_id=actor.user_id)


def list_trash(actor: Actor, base_id: UUID) -> QuerySet[Document]:
    """Return what the actor may restore of a base, newest first.

    What came in another document that is there too, goes and comes with it and is not named.
    """
    rows = Document.objects.filter(base_id=base_id, trashed_at__isnull=False).filter(
        Q(parent__isnull=True) | Q(parent__trashed_at__isnull=True)
    )
    found = visible(actor, "manage", rows)
    return found.select_related("trashed_by").order_by("-trashed_at", "name", "pk")


def restore_documents(actor: Actor, *, base_id: UUID, document_ids: Iterable[UUID]) -> int:
    """Take documents out of the trash to where they were; returns how many.

    Those that are not in the trash, or not the actor's to restore, are passed over.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    with transaction.atomic():
        lock_base(base.pk)
        wanted = Document.objects.filter(base=base, pk__in=list(document_ids))
        ids = list(visible(actor, "manage", wanted).values_list("pk", flat=True))
        if not ids:
            return 0
        rows = list(Document.objects.filter(pk__in=_with_members(ids)))
        Document.objects.filter(pk__in=[row.pk for row in rows]).update(
            trashed_at=None, trashed_by=None
        )
        for start in range(0, len(rows), _BATCH):
            raise_walls(rows[start : start + _BATCH])
        record_audit(actor, "document.restore", target=base, base_id=base.pk, documents=len(ids))
    return len(ids)


def remove_from_trash(
    actor: Actor, *, base_id: UUID, document_ids: Iterable[UUID] | None = None
) -> int:
    """End documents of the trash for good, or all of them; returns how many.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    rows = Document.objects.filter(base=base, trashed_at__isnull=False)
    if document_ids is not None:
        rows = rows.filter(pk__in=list(document_ids))
    with transaction.atomic():
        ids = list(visible(actor, "manage", rows).values_list("pk", flat=True))
        _end(ids)
        if ids:
            record_audit(actor, "document.delete", target=base, base_id=base.pk, documents=len(ids))
    return len(ids)


def trash_limit() -> datetime:
    """Return since when a document must be in the trash to go now."""
    return timezone.now() - timedelta(days=settings.TRASH_DAYS)


def empty_old_trash() -> int:
    """End what has been in the trash of the current space for long enough; returns how many."""
    old = Document.objects.filter(trashed_at__lt=trash_limit())
    ids = list(old.exclude(state=DocumentState.DELETING).values_list("pk", flat=True))
    with transaction.atomic():
        _end(ids)
    return len(ids)


def _end(ids: Sequence[UUID]) -> None:
    for document in Document.objects.filter(pk__in=_with_members(ids)):
        remove_later(document)


def _with_members(ids: Iterable[UUID]) -> list[UUID]:
    """Return the documents and all that came in them, however deep."""
    found = dict.fromkeys(ids)
    level = list(found)
    while level:
        rows = Document.objects.filter(parent_id__in=level).exclude(pk__in=list(found))
        level = list(rows.values_list("pk", flat=True))
        found.update(dict.fromkeys(level))
    return list(found)
