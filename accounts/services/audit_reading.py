"""Reads of the audit log: pages of it, and all of it for a file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.models import AuditEvent, Space
from accounts.services.audit import record_audit
from core.errors import AccessDenied, Invalid
from core.tenancy import space_scope

PAGE_ROWS = 50
EXPORT_ROWS = 1000


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which events; what is blank does not narrow."""

    person_id: str = ""
    area: str = ""
    """What stands before the dot of an action, such as `member`."""
    outcome: str = ""
    since: date | None = None
    until: date | None = None
    """The last day that counts."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """Some events, newest first."""

    events: tuple[AuditEvent, ...]
    next_cursor: str
    """For the events after these; blank: there are none."""


def read_audit(actor: Actor, wanted: Wanted, *, cursor: str = "") -> Page:
    """Return the events of the actor's space, newest first.

    Raises:
        AccessDenied: the actor is not an admin.
        Invalid: the cursor is none that a page gave.
    """
    _require_reading(actor)
    return _page(_filtered(visible(actor, "view", AuditEvent.objects.all()), wanted), cursor)


def read_base_activity(*, base_id: UUID, cursor: str = "") -> Page:
    """Return what was done to a base and in it, newest first.

    Who may see it is for the base's own rule: `knowledge.pages.activity` asks. Refused attempts are
    left out: they are for the admins of the space.
    """
    rows = AuditEvent.objects.filter(base_id=base_id).exclude(outcome="refused")
    return _page(rows, cursor)


def begin_export(actor: Actor, wanted: Wanted, *, file_type: str) -> None:
    """Ask whether the actor may take the log out, and write down that they do.

    Raises:
        AccessDenied: the actor is not an admin.
    """
    _require_reading(actor)
    record_audit(actor, "audit.export", type=file_type, area=wanted.area)


def read_for_export(actor: Actor, wanted: Wanted, *, before_pk: int | None) -> list[AuditEvent]:
    """Return the next events of an export, newest first, older than `before_pk`.

    A file leaves after its request's scope has ended, so it is opened here.
    """
    with space_scope(actor.space_id):
        rows = _filtered(visible(actor, "view", AuditEvent.objects.all()), wanted).order_by("-pk")
        if before_pk is not None:
            rows = rows.filter(pk__lt=before_pk)
        return list(rows[:EXPORT_ROWS])


def may_read_audit(actor: Actor) -> bool:
    """Say whether the actor reads the log of their space."""
    return not visible(actor, "view", AuditEvent.objects.all()).query.is_empty()


def _require_reading(actor: Actor) -> None:
    space = Space.objects.get(pk=actor.space_id)
    require(actor, "view", space)
    if may_read_audit(actor):
        return
    raise AccessDenied(
        _("The audit log is for the admins of the space."), attempted="audit.view", target=space
    )


def _filtered(rows: QuerySet[AuditEvent], wanted: Wanted) -> QuerySet[AuditEvent]:
    if wanted.person_id:
        rows = rows.filter(actor_kind="user", actor_id=wanted.person_id)
    if wanted.area:
        rows = rows.filter(action__startswith=f"{wanted.area}.")
    if wanted.outcome:
        rows = rows.filter(outcome=wanted.outcome)
    if wanted.since:
        rows = rows.filter(created_at__gte=_midnight(wanted.since))
    if wanted.until:
        rows = rows.filter(created_at__lt=_midnight(wanted.until + timedelta(days=1)))
    return rows


def _page(rows: QuerySet[AuditEvent], cursor: str) -> Page:
    if cursor:
        at, pk = _read_cursor(cursor)
        rows = rows.filter(Q(created_at__lt=at) | Q(created_at=at, pk__lt=pk))
    found = list(rows.order_by("-created_at", "-pk")[: PAGE_ROWS + 1])
    shown = found[:PAGE_ROWS]
    more = len(found) > PAGE_ROWS
    return Page(
        events=tuple(shown),
        next_cursor=f"{shown[-1].created_at.isoformat()}_{shown[-1].pk}" if more else "",
    )


def _read_cursor(cursor: str) -> tuple[datetime, int]:
    moment, _mark, number = cursor.rpartition("_")
    try:
        at = parse_datetime(moment)
    except ValueError:
        at = None
    if at is None or timezone.is_naive(at) or not number.isascii() or not number.isdigit():
        raise Invalid(_("This page of the log cannot be found; begin at the newest events."))
    return at, min(int(number), 2**63 - 1)


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
