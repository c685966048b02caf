"""How much of each budget is spent: one query for all, over the indexes of `ModelUsage`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import (
    Case,
    DateTimeField,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from agents.constants import BudgetPeriod, BudgetSubject
from agents.models import Budget, ModelUsage
from agents.spending.periods import began_at, ends_at

WARN_AT = 0.8
"""Share of a budget from which people are warned."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A budget and what was spent of it in its present period."""

    budget: Budget
    spent_tokens: int
    spent_cost: Decimal
    ends_at: datetime

    @property
    def share(self) -> float:
        """The part that is spent, of tokens or money, whichever is more; 1 is all of it."""
        shares = [0.0]
        if self.budget.max_tokens is not None:
            shares.append(_part(self.spent_tokens, self.budget.max_tokens))
        if self.budget.max_cost is not None:
            shares.append(_part(self.spent_cost, self.budget.max_cost))
        return max(shares)

    @property
    def is_used_up(self) -> bool:
        """Whether no further call may begin."""
        return self.share >= 1

    @property
    def is_near(self) -> bool:
        """Whether people should be warned."""
        return WARN_AT <= self.share < 1


def _part(spent: Decimal | int, limit: Decimal | int) -> float:
    return float(spent / limit) if limit else 1.0


def standings_for(*, agent_id: UUID | None, user_id: int | None) -> list[Standing]:
    """Return the budgets that hold for a person's calls with an agent, the fullest first.

    A budget of one person stands in place of that for each person with the same period.
    """
    rows = Budget.objects.filter(
        Q(subject=BudgetSubject.SPACE)
        | Q(subject=BudgetSubject.AGENT, agent_id=agent_id)
        | Q(subject=BudgetSubject.USER, user_id=user_id)
        | Q(subject=BudgetSubject.USER, user__isnull=True),
        is_enabled=True,
    )
    if not rows.exists():
        return []  # most spaces have none, and the sums take a while to be put into words alone
    found = _measured(
        rows,
        agent=Q(agent_id=agent_id),
        user=Q(user_id=user_id),
    )
    own = {each.budget.period for each in found if each.budget.user_id is not None}
    held = [each for each in found if not (_is_for_each(each.budget) and each.budget.period in own)]
    return sorted(held, key=lambda each: each.share, reverse=True)


def all_standings() -> list[Standing]:
    """Return every budget of the space; one for each person shows who spent most."""
    rows = Budget.objects.select_related("agent", "user").order_by("subject", "period", "pk")
    found = _measured(
        rows.exclude(subject=BudgetSubject.USER, user__isnull=True),
        agent=Q(agent_id=OuterRef("agent_id")),
        user=Q(user_id=OuterRef("user_id")),
    )
    return found + [_of_the_biggest(each) for each in rows if _is_for_each(each)]


def _is_for_each(budget: Budget) -> bool:
    return budget.subject == BudgetSubject.USER and budget.user_id is None


def _measured(rows: QuerySet[Budget], *, agent: Q, user: Q) -> list[Standing]:
    now = timezone.now()
    began = Case(
        When(period=BudgetPeriod.DAY, then=Value(began_at(BudgetPeriod.DAY, now))),
        default=Value(began_at(BudgetPeriod.MONTH, now)),
        output_field=DateTimeField(),
    )
    rows = rows.annotate(began=began).annotate(
        spent_tokens=_sum_of(F("input_tokens") + F("output_tokens"), agent=agent, user=user),
        spent_cost=_sum_of(F("cost"), agent=agent, user=user),
    )
    return [
        Standing(
            budget=row,
            spent_tokens=int(row.spent_tokens or 0),
            spent_cost=Decimal(row.spent_cost or 0),
            ends_at=ends_at(row.period, now),
        )
        for row in rows
    ]


def _sum_of(what: Any, *, agent: Q, user: Q) -> Case:
    """Return the sum over the budget's own index; only the branch that fits is computed."""

    def total(whose: Q) -> Subquery:
        usage = ModelUsage.objects.filter(whose, created_at__gte=OuterRef("began"))
        return Subquery(usage.order_by().values("space_id").annotate(all=Sum(what)).values("all"))

    return Case(
        When(subject=BudgetSubject.AGENT, then=total(agent)),
        When(subject=BudgetSubject.USER, then=total(user)),
        default=total(Q()),
    )


def _of_the_biggest(budget: Budget) -> Standing:
    """Return the standing of who spent most of a budget that holds for each person."""
    now = timezone.now()
    spent = (
        ModelUsage.objects.filter(created_at__gte=began_at(budget.period, now), user__isnull=False)
        .values("user_id")
        .annotate(
            tokens=Sum(F("input_tokens") + F("output_tokens")),
            cost=Coalesce(Sum("cost"), Decimal(0)),
        )
    )
    standings = [
        Standing(
            budget=budget,
            spent_tokens=each["tokens"],
            spent_cost=each["cost"],
            ends_at=ends_at(budget.period, now),
        )
        for each in spent
    ]
    none = Standing(
        budget=budget, spent_tokens=0, spent_cost=Decimal(0), ends_at=ends_at(budget.period, now)
    )
    return max(standings, key=lambda each: each.share, default=none)
