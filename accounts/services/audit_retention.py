"""How long audit events are kept, and the only way in which they go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Literal

from django.db import connection, models, transaction
from django.utils import timezone

from accounts.models import AuditEvent, PlatformAuditEvent, Space
from core.live import live
from core.tenancy import space_scope

BATCH_ROWS = 5000


@contextmanager
def sweeping(purpose: Literal["retention", "erasure"]) -> Iterator[None]:
    """Run the block in a transaction in which audit events may go.

    For `erasure` they may be changed, too: the names of a person who is erased.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('weknora.audit_purpose', %s, true)", [purpose])
        try:
            yield
        finally:
            if not connection.needs_rollback:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT set_config('weknora.audit_purpose', '', true)")


def default_audit_days() -> int:
    """Return for how many days events are kept where a space says nothing; 0: for ever."""
    return int(live("AUDIT_DAYS"))


def audit_days_of(space: Space) -> int:
    """Return for how many days the space's events are kept; 0: for ever."""
    return default_audit_days() if space.audit_days is None else space.audit_days


def forget_old_events() -> int:
    """Delete the events of all spaces and of the platform that are too old; return how many.

    A space under a legal hold keeps all of its own.
    """
    gone = 0
    for space in Space.objects.filter(legal_hold=False).iterator():
        days = audit_days_of(space)
        if days:
            with space_scope(space.pk):
                gone += _forget(AuditEvent.objects.all(), days)
    days = default_audit_days()
    return gone + (_forget(PlatformAuditEvent.objects.all(), days) if days else 0)


def _forget(
    events: models.QuerySet[AuditEvent] | models.QuerySet[PlatformAuditEvent], days: int
) -> int:
    """Delete in small transactions, so that nobody who writes has to wait for a long one."""
    old = events.filter(created_at__lt=timezone.now() - timedelta(days=days)).order_by("pk")
    gone = 0
    while ids := list(old.values_list("pk", flat=True)[:BATCH_ROWS]):
        with sweeping("retention"):
            events.filter(pk__in=ids).delete()
        gone += len(ids)
    return gone
