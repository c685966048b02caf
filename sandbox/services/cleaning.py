"""Removes workspaces: idle ones, old ones, stopped ones, and what backends have that no row knows."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.errors import ProjectError
from core.tenancy import space_scope, unscoped
from sandbox.constants import SessionState
from sandbox.contract import SandboxBackend
from sandbox.models import SandboxConfig, SandboxSession
from sandbox.services.backends import backend_of, backend_of_row, fingerprint_of
from sandbox.services.sessions import end_row

logger = logging.getLogger(__name__)
IDLE_MINUTES = 30
"""Of the installation's default sandbox; a configured one has its own."""
ORPHAN_GRACE = timedelta(minutes=5)
"""A workspace without a row is left alone so long: its row may not be committed yet."""


def end_session_now(session_id: UUID) -> None:
    """Remove a workspace that was taken out of use, and its row; runs where the backend is."""
    row = SandboxSession.objects.select_related("config").filter(pk=session_id).first()
    if row is None or row.state != SessionState.ENDING:
        return
    backend_of_row(row).destroy(row.key)
    row.delete()


def end_idle_sessions() -> int:
    """Take workspaces out of use that nobody used for long or that are too old; say how many."""
    now = timezone.now()
    with unscoped(reason="housekeeping looks for idle workspaces of all spaces"):
        rows = SandboxSession.objects.select_related("config").filter(
            Q(busy_until=None) | Q(busy_until__lt=now), state=SessionState.LIVE
        )
        due = [row for row in rows if row.expires_at <= now or row.last_used_at <= _idle(row, now)]
    ended = 0
    for row in due:
        with space_scope(row.space_id), transaction.atomic():
            # Looked at again under a lock: it may be in use by now.
            fresh = SandboxSession.objects.select_for_update().filter(
                Q(busy_until=None) | Q(busy_until__lt=now),
                pk=row.pk,
                state=SessionState.LIVE,
                last_used_at=row.last_used_at,
            )
            ended += sum(end_row(each) for each in fresh)
    return ended


def end_stopped_sessions() -> None:
    """Remove workspaces whose removal failed before, such as that of a machine that was away."""
    limit = timezone.now() - ORPHAN_GRACE
    with unscoped(reason="housekeeping ends stopped workspaces of all spaces"):
        rows = SandboxSession.objects.filter(state=SessionState.ENDING, last_used_at__lt=limit)
        stopped = list(rows.values_list("pk", "space_id"))
    for session_id, space_id in stopped:
        with space_scope(space_id):
            try:
                end_session_now(session_id)
            except ProjectError as failure:
                logger.warning("Workspace %s cannot be removed: %s", session_id, failure.message)


def remove_orphans() -> int:
    """Remove what backends have and no row knows, left by a killed worker; say how many."""
    limit = timezone.now() - ORPHAN_GRACE
    removed = 0
    for backend in _backends():
        try:
            found = [info.key for info in backend.list() if info.created_at <= limit]
            with unscoped(reason="housekeeping compares the workspaces of all spaces"):
                rows = SandboxSession.objects.filter(key__in=found)
                known = set(rows.values_list("key", flat=True))
            for key in found:
                if key not in known:
                    logger.warning("Workspace %s has no row; it is removed", key)
                    backend.destroy(key)
                    removed += 1
        except ProjectError as failure:
            logger.warning("Workspaces of %s cannot be listed: %s", backend.name, failure.message)
    return removed


def _backends() -> Iterator[SandboxBackend]:
    """Yield each backend once: the installation's, then those of all spaces that differ."""
    with unscoped(reason="housekeeping looks at the sandboxes of all spaces"):
        configs = list(SandboxConfig.objects.all())
    seen: set[str] = set()
    for config in (None, *configs):
        key = fingerprint_of(config)
        if key in seen:
            continue
        seen.add(key)
        try:
            yield backend_of(config)
        except ProjectError:
            continue


def _idle(row: SandboxSession, now: datetime) -> datetime:
    """Return the moment since which it must have been used to stay."""
    minutes = row.config.idle_minutes if row.config is not None else IDLE_MINUTES
    return now - timedelta(minutes=minutes)
