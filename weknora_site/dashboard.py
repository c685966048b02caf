"""What the first page of the admin site shows: counted from the rows, at each look.

It spans all spaces and holds figures alone, nothing of what anybody wrote.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import redis
from django.db.models import Count, Min, Q, Sum
from django.db.models.functions import TruncDate
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Space, StorageUse, User
from agents.constants import RunState
from agents.models import AgentRun, ModelUsage
from core.models import BackgroundJob, JobState
from core.tenancy import unscoped
from knowledge.constants import UNLISTED_SOURCES, DocumentState
from knowledge.models import Document
from weknora_site.heartbeats import WorkerBeat, live_workers

DAYS = 14
LARGEST_SPACES = 10
FAILURES = 8


@dataclass(frozen=True, kw_only=True)
class Tile:
    """One number with its name."""

    label: str
    number: int


@dataclass(frozen=True, kw_only=True)
class Day:
    """What models were given and what that cost."""

    day: date
    tokens: int
    cost: Decimal
    runs: int


@dataclass(frozen=True, kw_only=True)
class QueueRow:
    """One queue of jobs."""

    name: str
    waiting: int
    running: int
    failed_today: int
    oldest_seconds: int
    """How long the first due job has waited; 0 without one."""
    workers: int


@dataclass(frozen=True, kw_only=True)
class SpaceRow:
    """What a space stores."""

    name: str
    used_bytes: int


@dataclass(frozen=True, kw_only=True)
class Dashboard:
    """All of it."""

    people: Sequence[Tile]
    documents: Sequence[Tile]
    runs: Sequence[Tile]
    days: Sequence[Day]
    queues: Sequence[QueueRow]
    failures: Sequence[BackgroundJob]
    spaces: Sequence[SpaceRow]
    workers: Sequence[WorkerBeat]
    broker_answers: bool

    @property
    def chart(self) -> str:
        """The days for the theme's chart, as JSON."""
        data = [day.tokens for day in self.days]
        labels = [day.day.isoformat()[5:] for day in self.days]
        dataset = {
            "label": _("Tokens"),
            "data": data,
            "backgroundColor": "var(--color-primary-600)",
        }
        return json.dumps({"labels": labels, "datasets": [dataset]})


def read_dashboard() -> Dashboard:
    """Return what holds now."""
    workers, answers = _workers()
    with unscoped(reason="the installation's dashboard counts the rows of all spaces"):
        return Dashboard(
            people=_people(),
            documents=_by_state(
                Document.objects.exclude(source__in=UNLISTED_SOURCES), DocumentState
            ),
            runs=_by_state(AgentRun.objects.filter(created_at__gte=_since()), RunState),
            days=_days(),
            queues=_queues(workers),
            failures=list(
                BackgroundJob.objects.filter(state=JobState.FAILED).order_by("-ended_at")[:FAILURES]
            ),
            spaces=_spaces(),
            workers=workers,
            broker_answers=answers,
        )


def fill_dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the figures to the page; the theme calls it for everybody who opens it."""
    del request
    return {**context, "dashboard": read_dashboard()}


def _since() -> Any:
    return timezone.now() - timedelta(days=DAYS)


def _people() -> list[Tile]:
    seen = timezone.now() - timedelta(days=1)
    found = User.objects.aggregate(
        all=Count("pk", filter=Q(is_active=True)),
        administrators=Count("pk", filter=Q(is_active=True, is_superuser=True)),
        lately=Count("pk", filter=Q(last_login__gte=seen)),
    )
    return [
        Tile(label=_("People"), number=found["all"]),
        Tile(label=_("Signed in today"), number=found["lately"]),
        Tile(label=_("Administrators"), number=found["administrators"]),
        Tile(label=_("Spaces"), number=Space.objects.count()),
    ]


def _by_state(rows: Any, states: Any) -> list[Tile]:
    counts = dict(rows.order_by().values_list("state").annotate(number=Count("pk")))
    return [Tile(label=str(state.label), number=counts.get(state.value, 0)) for state in states]


def _days() -> list[Day]:
    """Return each of the last days, the quiet ones too."""
    used = _per_day(
        ModelUsage.objects.filter(created_at__gte=_since()),
        tokens=Sum("input_tokens") + Sum("output_tokens"),
        cost=Sum("cost"),
    )
    asked = _per_day(AgentRun.objects.filter(created_at__gte=_since()), runs=Count("pk"))
    today = timezone.now().date()
    return [
        Day(
            day=day,
            tokens=used.get(day, {}).get("tokens", 0),
            cost=used.get(day, {}).get("cost", Decimal(0)),
            runs=asked.get(day, {}).get("runs", 0),
        )
        for day in (today - timedelta(days=ago) for ago in reversed(range(DAYS)))
    ]


def _per_day(rows: Any, **sums: Any) -> Mapping[date, Mapping[str, Any]]:
    found = rows.annotate(day=TruncDate("created_at")).order_by().values("day").annotate(**sums)
    return {row["day"]: row for row in found}


def _queues(workers: Sequence[WorkerBeat]) -> list[QueueRow]:
    now = timezone.now()
    waiting, running = Q(state=JobState.QUEUED), Q(state=JobState.RUNNING)
    failed = Q(state=JobState.FAILED, ended_at__gte=now - timedelta(days=1))
    found = (
        BackgroundJob.objects.filter(waiting | running | failed)
        .order_by()
        .values("queue")
        .annotate(
            waiting=Count("pk", filter=waiting),
            running=Count("pk", filter=running),
            failed=Count("pk", filter=failed),
            oldest=Min("run_after", filter=waiting & Q(run_after__lte=now)),
        )
    )
    rows: dict[str, dict[str, Any]] = {row["queue"]: dict(row) for row in found}
    served = {queue for worker in workers for queue in worker.queues}
    return [
        QueueRow(
            name=name,
            waiting=rows.get(name, {}).get("waiting", 0),
            running=rows.get(name, {}).get("running", 0),
            failed_today=rows.get(name, {}).get("failed", 0),
            oldest_seconds=_age(rows.get(name, {}).get("oldest")),
            workers=sum(name in worker.queues for worker in workers),
        )
        for name in sorted({*rows, *served, "default", "runs", "ingest"})
    ]


def _age(moment: Any) -> int:
    return int((timezone.now() - moment).total_seconds()) if moment else 0


def _spaces() -> list[SpaceRow]:
    rows = (
        StorageUse.objects.order_by()
        .values("space__name", "space_id")
        .annotate(used=Sum("used_bytes"))
        .order_by("-used")[:LARGEST_SPACES]
    )
    return [SpaceRow(name=row["space__name"], used_bytes=row["used"] or 0) for row in rows]


def _workers() -> tuple[list[WorkerBeat], bool]:
    try:
        return live_workers(), True
    except redis.RedisError:
        return [], False
