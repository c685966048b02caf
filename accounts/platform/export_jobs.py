"""Copies of a space: asked for by an owner, made by a job, downloaded for some days, then removed."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, BinaryIO, cast
from uuid import UUID

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.actors import actor_of
from accounts.models import ExportState, Space, SpaceExport
from accounts.platform.export_writing import write_copy
from accounts.services.audit import record_audit
from core.errors import Conflict, Gone, NotFound
from core.jobs.declare import Job
from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobContext, handles

MAKE_EXPORT = Job(name="accounts.make_export", max_attempts=3, time_limit_seconds=6 * 3600.0)
REMOVE_EXPORT = Job(name="accounts.remove_export")
OPEN_STATES = (ExportState.WAITING, ExportState.RUNNING)


def request_export(actor: Actor) -> SpaceExport:
    """Let a job make a copy of the actor's space; only they can download it.

    Raises:
        AccessDenied: the actor is no owner.
        Conflict: one is being made already.
    """
    with transaction.atomic():
        space = _owned(actor, lock=True)
        if SpaceExport.objects.filter(state__in=OPEN_STATES).exists():
            raise Conflict(_("An export is being created already; wait until it is ready."))
        row = SpaceExport.objects.create(space_id=space.pk, requested_by_id=actor.user_id)
        record_audit(actor, "space.export", target=row)
        enqueue(MAKE_EXPORT, dedupe_key=str(row.pk), export_id=str(row.pk))
    return row


def list_exports(actor: Actor) -> Sequence[SpaceExport]:
    """Return the copies of the space, the newest first.

    Raises:
        AccessDenied: the actor is no owner.
    """
    _owned(actor)
    return list(SpaceExport.objects.select_related("requested_by")[:20])


def open_export(actor: Actor, *, export_id: UUID) -> tuple[SpaceExport, BinaryIO]:
    """Open a copy for its owner; each opening is in the audit log.

    Raises:
        AccessDenied: the actor is no owner.
        NotFound: there is none, or another owner asked for it.
        Gone: it is removed, failed or not ready.
    """
    row = _own(actor, export_id)
    if not row.is_ready or not default_storage.exists(row.file_name):
        raise Gone(_("This export is not there. Create a new one."))
    record_audit(actor, "space.export_download", target=row)
    return row, cast(BinaryIO, default_storage.open(row.file_name, "rb"))


def delete_export(actor: Actor, *, export_id: UUID) -> None:
    """Remove a copy now.

    Raises:
        AccessDenied: the actor is no owner.
        NotFound: there is none.
        Conflict: it is being made.
    """
    _owned(actor)
    row = SpaceExport.objects.filter(pk=export_id).first()
    if row is None:
        raise NotFound(_("There is no such export."))
    if row.state in OPEN_STATES:
        raise Conflict(_("It is being created; remove it when it is ready."))
    with transaction.atomic():
        record_audit(actor, "space.export_delete", target=row)
        _remove(row)


def _failed(arguments: dict[str, Any], reason: str) -> None:
    SpaceExport.objects.filter(pk=arguments["export_id"]).update(
        state=ExportState.FAILED, reason=reason[:500], ended_at=timezone.now()
    )


@handles(MAKE_EXPORT, on_failure=_failed)
def make_export(context: JobContext, *, export_id: str) -> None:
    """Write the copy into the store.

    Raises:
        NotFound, AccessDenied: who asked for it is no owner of the space any more.
    """
    row = SpaceExport.objects.filter(pk=UUID(export_id), state__in=OPEN_STATES).first()
    if row is None or row.requested_by is None:
        return
    actor = actor_of(row.requested_by, space_id=row.space_id)
    _owned(actor)
    SpaceExport.objects.filter(pk=row.pk).update(state=ExportState.RUNNING)
    with tempfile.TemporaryFile(prefix="weknora-export-") as target:
        written = write_copy(target, actor, check=context.check)
        size = target.tell()
        target.seek(0)
        digest = hashlib.file_digest(target, "sha256").hexdigest()
        target.seek(0)
        default_storage.delete(row.file_name)  # of an attempt that died
        default_storage.save(row.file_name, File(target))
    expires_at = timezone.now() + timedelta(hours=settings.EXPORT_HOURS)
    with transaction.atomic():
        SpaceExport.objects.filter(pk=row.pk).update(
            state=ExportState.READY,
            size_bytes=size,
            content_hash=digest,
            row_count=written.row_count,
            file_count=written.file_count,
            ended_at=timezone.now(),
            expires_at=expires_at,
        )
        enqueue(REMOVE_EXPORT, run_after=expires_at, export_id=str(row.pk))


@handles(REMOVE_EXPORT)
def remove_expired(_: JobContext, *, export_id: str) -> None:
    """Remove a copy whose time is over."""
    row = SpaceExport.objects.filter(pk=UUID(export_id), state=ExportState.READY).first()
    if row is not None:
        with transaction.atomic():
            _remove(row)


def _remove(row: SpaceExport) -> None:
    SpaceExport.objects.filter(pk=row.pk).update(state=ExportState.GONE)
    name = row.file_name
    transaction.on_commit(lambda: default_storage.delete(name))


def _owned(actor: Actor, *, lock: bool = False) -> Space:
    rows = Space.objects.select_for_update() if lock else Space.objects.all()
    space = rows.get(pk=actor.space_id)
    require(actor, "share", space)
    return space


def _own(actor: Actor, export_id: UUID) -> SpaceExport:
    _owned(actor)
    row = SpaceExport.objects.filter(pk=export_id, requested_by_id=actor.user_id).first()
    if row is None:
        raise NotFound(_("There is no such export."))
    return row
