"""Use cases of budgets: set, change, delete. Only admins; each is in the audit log."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.models import Membership
from accounts.services.audit import record_audit
from agents.constants import BudgetPeriod, BudgetSubject
from agents.models import Agent, Budget
from core.errors import Conflict, Invalid, NotFound


@dataclass(frozen=True, kw_only=True)
class BudgetValues:
    """A budget as it was entered; at least one of the limits is set."""

    subject: str
    period: str
    agent_id: UUID | None = None
    user_id: int | None = None
    """None with subject `user`: each person."""
    max_tokens: int | None = None
    max_cost: Decimal | None = None


def create_budget(actor: Actor, values: BudgetValues) -> Budget:
    """Set a budget.

    Raises:
        AccessDenied: the actor is no admin.
        Invalid: no limit, or a subject that is none of this space's; `field` names what to correct.
        Conflict: there is one for the same subject and period.
    """
    require(actor, "create", Budget)
    _check(values, space_id=actor.space_id)
    budget = Budget(
        space_id=actor.space_id,
        subject=values.subject,
        period=values.period,
        agent_id=values.agent_id if values.subject == BudgetSubject.AGENT else None,
        user_id=values.user_id if values.subject == BudgetSubject.USER else None,
        max_tokens=values.max_tokens,
        max_cost=values.max_cost,
        created_by_id=actor.user_id,
    )
    try:
        with transaction.atomic():
            budget.save(force_insert=True)
            record_audit(actor, "budget.create", target=budget, **_limits(budget))
    except IntegrityError:
        raise Conflict(_("There is a budget for this already; change that one.")) from None
    return budget


def change_budget(
    actor: Actor,
    *,
    budget_id: UUID,
    max_tokens: int | None,
    max_cost: Decimal | None,
    is_enabled: bool = True,
) -> Budget:
    """Change a budget's limits; runs that go on ask it before their next call.

    Raises:
        NotFound: there is none, or the actor is no admin.
        Invalid: no limit is left.
    """
    with transaction.atomic():
        budget = _locked(actor, budget_id)
        require(actor, "change", budget)
        _check_limits(max_tokens, max_cost)
        before = _limits(budget)
        budget.max_tokens, budget.max_cost = max_tokens, max_cost
        budget.is_enabled = is_enabled
        budget.save(update_fields=["max_tokens", "max_cost", "is_enabled"])
        record_audit(actor, "budget.change", target=budget, before=before, **_limits(budget))
    return budget


def delete_budget(actor: Actor, *, budget_id: UUID) -> None:
    """Delete a budget: nothing limits its subject any more.

    Raises:
        NotFound: there is none, or the actor is no admin.
    """
    with transaction.atomic():
        budget = _locked(actor, budget_id)
        require(actor, "delete", budget)
        record_audit(actor, "budget.delete", target=budget, **_limits(budget))
        budget.delete()


def _locked(actor: Actor, budget_id: UUID) -> Budget:
    rows = visible(actor, "view", Budget.objects.select_for_update())
    budget = rows.filter(pk=budget_id).first()
    if budget is None:
        raise NotFound(_("There is no such budget."))
    return budget


def _check(values: BudgetValues, *, space_id: int) -> None:
    if values.subject not in BudgetSubject.values or values.period not in BudgetPeriod.values:
        raise Invalid(_("Choose who the budget applies to, and its period."), field="subject")
    _check_limits(values.max_tokens, values.max_cost)
    agents = Agent.objects.filter(pk=values.agent_id) if values.agent_id else Agent.objects.none()
    if values.subject == BudgetSubject.AGENT and not agents.exists():
        raise Invalid(_("Choose one of this space's agents."), field="agent")
    if values.subject == BudgetSubject.USER and values.user_id is not None:
        members = Membership.objects.filter(space_id=space_id, user_id=values.user_id)
        if not members.exists():
            raise Invalid(_("Choose a member of this space, or each person."), field="user")


def _check_limits(max_tokens: int | None, max_cost: Decimal | None) -> None:
    if max_tokens is None and max_cost is None:
        raise Invalid(
            _("Enter how many tokens, or how much money, may be spent."), field="max_tokens"
        )
    if (max_tokens is not None and max_tokens < 0) or (max_cost is not None and max_cost < 0):
        raise Invalid(_("A budget cannot be less than zero."), field="max_tokens")


def _limits(budget: Budget) -> dict[str, Any]:
    return {
        "subject": budget.subject,
        "period": budget.period,
        "max_tokens": budget.max_tokens,
        "max_cost": None if budget.max_cost is None else str(budget.max_cost),
        "is_enabled": budget.is_enabled,
    }
