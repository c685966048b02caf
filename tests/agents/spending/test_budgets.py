"""Admins set budgets; each change is in the audit log."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from accounts.models import AuditEvent
from agents.models import Budget
from agents.spending.budgets import BudgetValues, change_budget, create_budget, delete_budget
from agents.spending.standing import all_standings
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from tests.agents.spending.conftest import budget, spend
from tests.factories.accounts import make_user
from tests.factories.agents import make_agent
from tests.personas import Persona

VALUES = BudgetValues(subject="space", period="month", max_tokens=1000)


def test_an_admin_sets_changes_and_deletes_a_budget(adam: Persona) -> None:
    with adam.scope():
        made = create_budget(adam.actor, VALUES)
        change_budget(adam.actor, budget_id=made.pk, max_tokens=None, max_cost=Decimal(5))
        made.refresh_from_db()
        assert made.max_tokens is None
        assert made.max_cost == 5
        delete_budget(adam.actor, budget_id=made.pk)
        actions = AuditEvent.objects.order_by("pk").values_list("action", flat=True)
        assert list(actions) == ["budget.create", "budget.change", "budget.delete"]


def test_contributors_neither_set_nor_see_budgets(cora: Persona) -> None:
    with cora.scope():
        made = budget(cora.space.pk, max_tokens=1)
        with pytest.raises(AccessDenied):
            create_budget(cora.actor, VALUES)
        with pytest.raises(NotFound):
            change_budget(cora.actor, budget_id=made.pk, max_tokens=10**9, max_cost=None)
        with pytest.raises(NotFound):
            delete_budget(cora.actor, budget_id=made.pk)


def test_another_space_does_not_reach_it(adam: Persona, mallory: Persona) -> None:
    with adam.scope():
        made = budget(adam.space.pk, max_tokens=1)
    with mallory.scope(), pytest.raises(NotFound):
        delete_budget(mallory.actor, budget_id=made.pk)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"max_tokens": None}, "max_tokens"),
        ({"max_tokens": -1}, "max_tokens"),
        ({"subject": "agent"}, "agent"),
        ({"subject": "user", "user_id": 10**9}, "user"),
        ({"period": "year"}, "subject"),
    ],
    ids=["no limit", "less than zero", "no agent", "a stranger", "a year"],
)
def test_what_cannot_be_a_budget_is_refused_at_its_field(
    adam: Persona, fields: dict[str, Any], field: str
) -> None:
    values = {"subject": "space", "period": "month", "max_tokens": 10, **fields}
    with adam.scope(), pytest.raises(Invalid) as refusal:
        create_budget(adam.actor, BudgetValues(**values))
    assert refusal.value.data["field"] == field
    with adam.scope():
        assert not Budget.objects.exists()


def test_a_second_budget_for_the_same_is_refused(adam: Persona) -> None:
    with adam.scope():
        create_budget(adam.actor, VALUES)
        with pytest.raises(Conflict, match="change that one"):
            create_budget(adam.actor, VALUES)


def test_the_list_shows_who_spent_most_of_a_budget_for_each(adam: Persona) -> None:
    agent, other = make_agent(adam.space), make_user()
    with adam.scope():
        budget(adam.space.pk, subject="user", max_tokens=100)
        budget(adam.space.pk, subject="agent", agent=agent, max_tokens=50)
        budget(adam.space.pk, subject="user", user=other, period="day", max_tokens=10)
        spend(agent, adam.user.pk, tokens=20)
        spend(agent, other.pk, tokens=5)
        spent = {(each.budget.subject, each.spent_tokens) for each in all_standings()}
    assert spent == {("agent", 25), ("user", 5), ("user", 20)}
