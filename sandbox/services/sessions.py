"""The life of workspaces: made when first needed, started anew when dead, removed when idle.

A workspace belongs to a conversation and a sandbox. The rows say which ones may live; what a backend
has beside them is removed by `sandbox.services.cleaning`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import LimitReached, NotFound
from core.jobs.enqueue import enqueue
from core.tenancy import current_space_id, space_scope, unscoped
from sandbox.constants import SessionState
from sandbox.contract import SandboxInfo, SkillMount, Workspace
from sandbox.jobs import END_SESSION
from sandbox.models import SandboxConfig, SandboxSession
from sandbox.queries import environment_of, limits_of
from sandbox.services.backends import backend_of

_LOOK_AFTER = timedelta(seconds=20)
"""A workspace that was used since then is taken to live; else its backend is asked."""
_MARGIN = timedelta(seconds=30)
STARTED_ANEW = (
    "The workspace had ended and was started anew: files of earlier turns are gone. Attached files"
    " are put back; make anything else you need again."
)


@dataclass(frozen=True, kw_only=True)
class OpenSession:
    """A workspace that may be used now."""

    id: UUID
    conversation_id: UUID
    workspace: Workspace
    environment: Mapping[str, str]
    is_new: bool
    """It was made, or made anew, by this call: nothing is in it yet."""
    notice: str = ""
    """English, for the model: what it must know, such as that earlier files are gone."""


def open_session(
    *,
    conversation_id: UUID,
    user_id: int | None,
    config: SandboxConfig | None,
    skills: Sequence[SkillMount] = (),
) -> OpenSession:
    """Return the conversation's workspace, made now if need be; one that died is started anew.

    Runs in the space's scope. Two callers of one conversation take turns.

    Raises:
        SandboxDisabled: nothing runs code here, with the reason.
        LimitReached: the space, or the installation, has too many workspaces that are in use.
    """
    backend = backend_of(config)
    with transaction.atomic():
        _take_turn(f"sandbox:{conversation_id}")
        row = _live_row(conversation_id, config)
        now = timezone.now()
        if row is not None and row.expires_at <= now:
            end_row(row)
            row = None
        is_new, notice = False, ""
        if row is None:
            row = _make(conversation_id, user_id, config, backend_name=backend.name)
            is_new = True
        elif row.last_used_at < now - _LOOK_AFTER and not _is_known(backend.list(), row.key):
            row.epoch += 1
            row.started_at = now
            is_new, notice = True, STARTED_ANEW
        row.last_used_at = now
        row.save()
        workspace = backend.create(row.key, limits_of(config), skills)
    return OpenSession(
        id=row.pk,
        conversation_id=conversation_id,
        workspace=workspace,
        environment=environment_of(config),
        is_new=is_new,
        notice=notice,
    )


def begin_use(session_id: UUID, *, seconds: float) -> None:
    """Write down that a command of at most so many seconds begins: nobody removes the workspace.

    Raises:
        NotFound: it was stopped meanwhile.
    """
    now = timezone.now()
    rows = SandboxSession.objects.filter(pk=session_id, state=SessionState.LIVE)
    until = now + timedelta(seconds=seconds) + _MARGIN
    if not rows.update(last_used_at=now, busy_until=until):
        raise NotFound(_("The workspace was stopped."))


def end_use(session_id: UUID, *, lost: bool = False) -> None:
    """Write down that a command is over; with `lost`, that its workspace had to be started anew."""
    values = {"last_used_at": timezone.now(), "busy_until": None}
    rows = SandboxSession.objects.filter(pk=session_id)
    if lost:
        rows.update(**values, epoch=F("epoch") + 1, started_at=timezone.now())
    else:
        rows.update(**values)


def forget_workspace(session_id: UUID) -> None:
    """Give a workspace up that its backend has lost; the next use makes another one."""
    for row in SandboxSession.objects.filter(pk=session_id, state=SessionState.LIVE):
        end_row(row)


def end_conversation(conversation_id: UUID) -> int:
    """Remove the workspaces of a conversation that is deleted; return how many there were."""
    rows = SandboxSession.objects.filter(conversation_id=conversation_id, state=SessionState.LIVE)
    return sum(end_row(row) for row in rows)


def stop_session(actor: Actor, *, session_id: UUID) -> None:
    """Remove a workspace, whatever runs in it.

    Raises:
        NotFound, AccessDenied: the actor may not.
    """
    row = SandboxSession.objects.filter(pk=session_id).first()
    if row is None:
        raise NotFound(_("There is no such workspace; it may have ended meanwhile."))
    require(actor, "delete", row)
    with transaction.atomic():
        record_audit(actor, "sandbox.stop", target=row, backend=row.backend)
        end_row(row)


def end_sessions_of(config: SandboxConfig) -> int:
    """Remove all workspaces of a sandbox; return how many there were."""
    rows = SandboxSession.objects.filter(config=config, state=SessionState.LIVE)
    return sum(end_row(row) for row in rows)


def end_row(row: SandboxSession) -> int:
    """Take a workspace out of use and let a worker remove it; 1, for counting."""
    SandboxSession.objects.filter(pk=row.pk).update(state=SessionState.ENDING, busy_until=None)
    with space_scope(row.space_id):
        enqueue(END_SESSION, dedupe_key=str(row.pk), session_id=str(row.pk))
    return 1


def _live_row(conversation_id: UUID, config: SandboxConfig | None) -> SandboxSession | None:
    rows = SandboxSession.objects.select_for_update().filter(
        conversation_id=conversation_id, state=SessionState.LIVE
    )
    mine = rows.filter(config__isnull=True) if config is None else rows.filter(config=config)
    return mine.first()


def _make(
    conversation_id: UUID,
    user_id: int | None,
    config: SandboxConfig | None,
    *,
    backend_name: str,
) -> SandboxSession:
    space_id = current_space_id() or 0
    _make_room(space_id)
    now, key = timezone.now(), uuid4()
    return SandboxSession(
        id=key,
        space_id=space_id,
        conversation_id=conversation_id,
        user_id=user_id,
        config=config,
        backend=backend_name,
        key=key.hex,
        started_at=now,
        last_used_at=now,
        expires_at=now + timedelta(hours=settings.SANDBOX_HOURS),
    )


def _make_room(space_id: int) -> None:
    """Remove the workspace that waited longest where there are too many.

    Raises:
        LimitReached: all of them are in use.
    """
    _take_turn("sandbox:room")
    with unscoped(reason="the installation's own limit counts the workspaces of all spaces"):
        everywhere = SandboxSession.objects.filter(state=SessionState.LIVE)
        ours = everywhere.filter(space_id=space_id)
        full = [
            rows
            for rows, most in (
                (ours, settings.SANDBOX_SESSIONS_PER_SPACE),
                (everywhere, settings.SANDBOX_SESSIONS),
            )
            if rows.count() >= most
        ]
        for rows in full:
            idle = rows.filter(Q(busy_until=None) | Q(busy_until__lt=timezone.now()))
            oldest = idle.order_by("last_used_at").first()
            if oldest is None:
                raise LimitReached(
                    _("Too many workspaces are in use at the moment; try again in a minute.")
                )
            end_row(oldest)


def _is_known(found: Iterable[SandboxInfo], key: str) -> bool:
    return any(info.key == key for info in found)


def _take_turn(name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
