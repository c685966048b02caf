"""What the pages of schedules show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.urls import reverse
from django.utils import timezone

from accounts.access import Actor, visible
from agents.models import AgentSchedule, Conversation
from agents.schedules.presets import describe
from agents.schedules.services import list_schedules
from agents.schedules.times import next_times, zone_of
from core.errors import Invalid

_REPORTS = 3


@dataclass(frozen=True, kw_only=True)
class Report:
    """A conversation that a schedule began."""

    title: str
    url: str


@dataclass(frozen=True, kw_only=True)
class ScheduleLine:
    """A schedule of the list."""

    id: UUID
    name: str
    question: str
    agent: str
    when: str
    timezone: str
    next_at: datetime | None
    is_enabled: bool
    problem: str
    reports: list[Report]


@dataclass(frozen=True, kw_only=True)
class NextTimes:
    """The next times of what is entered, in the schedule's own zone, or why there are none."""

    times: list[datetime]
    problem: str = ""


def schedule_lines(actor: Actor) -> list[ScheduleLine]:
    """Return the actor's schedules, each with its newest reports."""
    rows = list(list_schedules(actor))
    found = visible(actor, "view", Conversation.objects.filter(schedule__in=rows))
    reports: dict[UUID | None, list[Report]] = {}
    for row in found.order_by("-created_at")[: 20 * max(1, len(rows))]:
        reports.setdefault(row.schedule_id, []).append(
            Report(title=row.title, url=reverse("conversation", args=[row.pk]))
        )
    return [_line(row, reports.get(row.pk, [])[:_REPORTS]) for row in rows]


def next_times_of(cron: str, zone: str) -> NextTimes:
    """Return the next three times as the clocks of the zone show them."""
    try:
        times = next_times(cron, timezone=zone, after=timezone.now())
        return NextTimes(times=[each.astimezone(zone_of(zone)) for each in times])
    except Invalid as refusal:
        return NextTimes(times=[], problem=refusal.message)


def _line(row: AgentSchedule, reports: list[Report]) -> ScheduleLine:
    return ScheduleLine(
        id=row.pk,
        name=row.name,
        question=row.question,
        agent=row.agent.name,
        when=describe(row.cron),
        timezone=row.timezone,
        next_at=row.next_at.astimezone(zone_of(row.timezone)) if row.next_at else None,
        is_enabled=row.is_enabled,
        problem=row.last_problem,
        reports=reports,
    )
