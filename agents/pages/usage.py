"""What the usage page shows: figures, a chart drawn here, tables, budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from accounts.access import Actor
from accounts.constants import RANK, Role
from agents.pages.amounts import money, tokens
from agents.pages.run import Figure
from agents.spending.gate import spent_amounts
from agents.spending.prices import space_currency
from agents.spending.report import By, DaySums, Span, Sums, by_day, grouped_by, total, usage_rows
from agents.spending.standing import Standing, all_standings

CHART_WIDTH, CHART_HEIGHT = 1000, 160


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One day: output on top of input, in units of the chart."""

    x: float
    width: float
    input_y: float
    input_height: float
    output_y: float
    output_height: float
    title: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """A row of a table."""

    name: str
    url: str
    calls: str
    input: str
    output: str
    cost: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """Sums by agent, person or model."""

    title: str
    head: str
    lines: list[Line]


@dataclass(frozen=True, kw_only=True)
class BudgetLine:
    """A budget with how much of it is spent."""

    id: UUID
    name: str
    spent: str
    percent: float
    tone: str
    is_enabled: bool
    max_tokens: int | None
    max_cost: str
    ends: str


def usage_context(actor: Actor, span: Span) -> dict[str, Any]:
    """Return the page's context; others than admins see their own usage alone."""
    rows, currency = usage_rows(actor, span), space_currency()
    sums, days = total(rows), by_day(rows, span)
    sees_all = actor.rank >= RANK[Role.ADMIN]
    kinds: list[By] = ["agent", "person", "model"] if sees_all else ["agent", "model"]
    return {
        "sees_all": sees_all,
        "figures": _figures(sums, currency),
        "bars": bars_of(days),
        "days": [
            (each.day, tokens(each.sums.input_tokens), tokens(each.sums.output_tokens))
            for each in days
        ],
        "ends": (_day(span.first), _day(span.last)),
        "highest": tokens(max((each.sums.tokens for each in days), default=0)),
        "tables": [_table(actor, kind, grouped_by(rows, kind), currency) for kind in kinds],
    }


def budget_lines() -> list[BudgetLine]:
    """Return the space's budgets, the fullest first."""
    standings = sorted(all_standings(), key=lambda each: each.share, reverse=True)
    return [_budget_line(each) for each in standings]


def bars_of(days: Sequence[DaySums]) -> list[Bar]:
    """Return the bars of a stacked chart; the highest day fills it."""
    highest = max((each.sums.tokens for each in days), default=0)
    if not highest:
        return []
    step = CHART_WIDTH / len(days)
    return [_bar(each, number * step, step, highest) for number, each in enumerate(days)]


def _bar(each: DaySums, x: float, step: float, highest: int) -> Bar:
    input_height = CHART_HEIGHT * each.sums.input_tokens / highest
    output_height = CHART_HEIGHT * each.sums.output_tokens / highest
    title = _("%(day)s: %(in)s in, %(out)s out") % {
        "day": _day(each.day),
        "in": tokens(each.sums.input_tokens),
        "out": tokens(each.sums.output_tokens),
    }
    return Bar(
        x=round(x + step * 0.1, 2),
        width=round(step * 0.8, 2),
        input_y=round(CHART_HEIGHT - input_height, 2),
        input_height=round(input_height, 2),
        output_y=round(CHART_HEIGHT - input_height - output_height, 2),
        output_height=round(output_height, 2),
        title=title,
    )


def _figures(sums: Sums, currency: str) -> list[Figure]:
    return [
        Figure(
            label=_("Tokens"),
            value=tokens(sums.tokens),
            note=_("%(n)s from the cache") % {"n": tokens(sums.cached_tokens)},
        ),
        Figure(label=_("Input"), value=tokens(sums.input_tokens)),
        Figure(label=_("Output"), value=tokens(sums.output_tokens)),
        Figure(label=_("Cost"), value=money(sums.cost, currency) if sums.cost else "–"),
        Figure(label=_("Model calls"), value=tokens(sums.calls)),
        Figure(label=_("Answers"), value=tokens(sums.runs)),
    ]


def _table(actor: Actor, kind: By, rows: Sequence[Sums], currency: str) -> Table:
    titles = {
        "agent": (_("By agent"), _("Agent"), _("Without an agent")),
        "person": (_("By person"), _("Person"), _("Without a person")),
        "model": (_("By model"), _("Model"), "–"),
    }
    title, head, nobody = titles[kind]
    return Table(
        title=title,
        head=head,
        lines=[
            Line(
                name=each.name or nobody,
                url=_person_url(actor, kind, each.key),
                calls=tokens(each.calls),
                input=tokens(each.input_tokens),
                output=tokens(each.output_tokens),
                cost=money(each.cost, currency) if each.cost else "–",
            )
            for each in rows
        ],
    )


def _person_url(actor: Actor, kind: By, key: str) -> str:
    """Owners come from here to the conversations that they may open."""
    if kind != "person" or actor.role != Role.OWNER or not key:
        return ""
    return reverse("usage_person", args=[int(key)])


def _budget_line(standing: Standing) -> BudgetLine:
    budget = standing.budget
    whose = str(budget.get_subject_display())
    if budget.agent is not None:
        whose = budget.agent.name
    elif budget.user is not None:
        whose = str(budget.user)
    elif budget.subject == "user":
        whose = _("Each person")
    tone = "bad" if standing.is_used_up else "m3" if standing.is_near else ""
    return BudgetLine(
        id=budget.pk,
        name=f"{whose} · {budget.get_period_display()}",
        spent=_spent(standing),
        percent=min(100.0, standing.share * 100),
        tone=tone,
        is_enabled=budget.is_enabled,
        max_tokens=budget.max_tokens,
        max_cost="" if budget.max_cost is None else str(budget.max_cost),
        ends=date_format(standing.ends_at, "MONTH_DAY_FORMAT"),
    )


def _spent(standing: Standing) -> str:
    told = _("%(amounts)s are spent.") % {"amounts": spent_amounts(standing)}
    if standing.budget.subject == "user" and standing.budget.user_id is None:
        return _("Highest spending by one person: %(told)s") % {"told": told}
    return told


def _day(day: date) -> str:
    return date_format(day, "MONTH_DAY_FORMAT")
