"""What was spent in a span of days: sums, by day, by agent, by person, by model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Literal

from django.db.models import Count, QuerySet, Sum
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from accounts.models import Space
from agents.models import ModelUsage

LONGEST_DAYS = 366
By = Literal["agent", "person", "model"]
_FIELDS: dict[By, tuple[str, ...]] = {
    "agent": ("agent_id", "agent__name"),
    "person": ("user_id", "asking_space_id", "user__name", "user__email"),
    "model": ("model_name",),
}


@dataclass(frozen=True, kw_only=True)
class Span:
    """Whole days in UTC, both ends included."""

    first: date
    last: date

    @property
    def days(self) -> list[date]:
        """Every day of it."""
        count = (self.last - self.first).days + 1
        return [self.first + timedelta(days=n) for n in range(count)]


@dataclass(frozen=True, kw_only=True)
class Sums:
    """What some calls took together."""

    name: str = ""
    key: str = ""
    """Id of what the sums are of; empty where there is none."""
    calls: int = 0
    runs: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: Decimal = Decimal(0)

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, kw_only=True)
class DaySums:
    """One day's tokens."""

    day: date
    sums: Sums


def span_of(days: int, *, now: datetime | None = None) -> Span:
    """Return the last `days` days, today included."""
    today = (now or timezone.now()).astimezone(UTC).date()
    count = min(max(days, 1), LONGEST_DAYS)
    return Span(first=today - timedelta(days=count - 1), last=today)


def usage_rows(actor: Actor, span: Span) -> QuerySet[ModelUsage]:
    """Return the metered calls of the span that the actor may see: all for admins, else their own."""
    begin = datetime.combine(span.first, time.min, UTC)
    end = datetime.combine(span.last + timedelta(days=1), time.min, UTC)
    rows = ModelUsage.objects.filter(created_at__gte=begin, created_at__lt=end)
    return visible(actor, "view", rows)


def total(rows: QuerySet[ModelUsage]) -> Sums:
    """Return the sums of all calls."""
    return Sums(**rows.order_by().aggregate(**_sums()))


def by_day(rows: QuerySet[ModelUsage], span: Span) -> list[DaySums]:
    """Return the sums of each day of the span, days without a call too."""
    grouped = rows.order_by().annotate(day=TruncDate("created_at", tzinfo=UTC)).values("day")
    found: dict[date, Sums] = {}
    for each in grouped.annotate(**_sums()):
        values: dict[str, Any] = dict(each)
        day = values.pop("day")
        found[day] = Sums(**values)
    return [DaySums(day=day, sums=found.get(day, Sums())) for day in span.days]


def grouped_by(rows: QuerySet[ModelUsage], by: By) -> list[Sums]:
    """Return the sums of each agent, person or model, the biggest first.

    People who ask a shared agent from another space are that space together.
    """
    fields = _FIELDS[by]
    askers = asking_names(rows) if by == "person" else {}
    found = [
        Sums(
            name=_name(
                [*(each.pop(field) for field in fields[-2:]), askers.get(each["asking_space_id"])]
                if by == "person"
                else [each[fields[-1]]]
            ),
            key=str(each.get(fields[0]) or ""),
            **{name: each[name] for name in _sums()},
        )
        for each in rows.order_by().values(*fields).annotate(**_sums())
    ]
    return sorted(found, key=lambda each: (-each.tokens, each.name))


def asking_names(rows: QuerySet[ModelUsage]) -> dict[int, str]:
    """Return how other spaces that asked shared agents are called among people, by their ids."""
    asked = rows.filter(asking_space_id__isnull=False).order_by()
    ids = {each for each in asked.values_list("asking_space_id", flat=True).distinct() if each}
    spaces = Space.objects.filter(pk__in=ids) if ids else Space.objects.none()
    known = {space.pk: _("People of %(space)s") % {"space": space.name} for space in spaces}
    return {each: known.get(each, _("People of a deleted space")) for each in ids}


def _name(candidates: Sequence[str | None]) -> str:
    return next((each for each in candidates if each), "")


def _sums() -> dict[str, Coalesce | Count | CombinedExpression]:
    tokens = {
        name: Coalesce(Sum(name), 0) for name in ("input_tokens", "output_tokens", "cached_tokens")
    }
    return {
        "calls": Count("pk"),
        "runs": Count("run", distinct=True) + Count("asking_run_id", distinct=True),
        "cost": Coalesce(Sum("cost"), Decimal(0)),
        **tokens,
    }
