"""The hard cap: asked before every call of a model, from the database, so that all workers count.

A call that is under way is known only when it ends. So a budget can be passed by the calls that
were under way when it was reached, at most one of each run; no call begins after that.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from agents.constants import BudgetPeriod, BudgetSubject
from agents.engine.state import RunState
from agents.spending.prices import space_currency
from agents.spending.standing import Standing, standings_for
from core.aio import in_db
from core.wording import listed


@dataclass(frozen=True, kw_only=True)
class BudgetGate:
    """The engine's `Gate` of one run."""

    agent_id: UUID | None
    user_id: int | None

    async def refusal(self, state: RunState) -> str | None:
        """Return why no further call may be made, for people, or None."""
        return await in_db(refusal_for, agent_id=self.agent_id, user_id=self.user_id)


def refusal_for(*, agent_id: UUID | None, user_id: int | None) -> str | None:
    """Return why a model may not be called for this person with this agent; None when it may."""
    standings = standings_for(agent_id=agent_id, user_id=user_id)
    if not standings or not standings[0].is_used_up:
        return None
    return _(
        "%(spent)s No further model calls are made. The budget starts again on %(date)s, 00:00 UTC; an administrator can raise it."
    ) % {
        "spent": spent_sentence(standings[0]),
        "date": date_format(standings[0].ends_at, "MONTH_DAY_FORMAT"),
    }


def warning_for(*, agent_id: UUID | None, user_id: int | None) -> str:
    """Return what to say at the composer when a budget is nearly or wholly spent; else nothing."""
    standings = standings_for(agent_id=agent_id, user_id=user_id)
    if not standings or not (standings[0].is_near or standings[0].is_used_up):
        return ""
    return spent_sentence(standings[0])


def spent_sentence(standing: Standing) -> str:
    """Return "The space's budget for this month: 8,200 of 10,000 tokens are spent."."""
    return _("%(budget)s: %(amounts)s are spent.") % {
        "budget": _name_of(standing.budget.subject, standing.budget.period),
        "amounts": spent_amounts(standing),
    }


def spent_amounts(standing: Standing) -> str:
    """Return "8,200 of 10,000 tokens, 1.20 of 5.00 EUR"."""
    amounts = []
    budget = standing.budget
    if budget.max_tokens is not None:
        words = {"spent": intcomma(standing.spent_tokens), "limit": intcomma(budget.max_tokens)}
        amounts.append(_("%(spent)s of %(limit)s tokens") % words)
    if budget.max_cost is not None:
        words = {
            "spent": f"{standing.spent_cost:.2f}",
            "limit": f"{budget.max_cost:.2f}",
            "currency": space_currency(),
        }
        amounts.append(_("%(spent)s of %(limit)s %(currency)s") % words)
    return listed(amounts)


def _name_of(subject: str, period: str) -> str:
    of_the_day = period == BudgetPeriod.DAY
    if subject == BudgetSubject.AGENT:
        return (
            _("The agent's budget for today")
            if of_the_day
            else _("The agent's budget for this month")
        )
    if subject == BudgetSubject.USER:
        return _("Your budget for today") if of_the_day else _("Your budget for this month")
    return (
        _("The space's budget for today") if of_the_day else _("The space's budget for this month")
    )
