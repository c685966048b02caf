"""A budget stops a run before its next call, also when many runs spend at once."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

import pytest
import time_machine
from asgiref.sync import ThreadSensitiveContext
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.engine.testing import a_run, call, calls
from agents.models import ModelUsage
from agents.spending.gate import BudgetGate, refusal_for, warning_for
from agents.spending.periods import began_at, ends_at
from agents.spending.standing import standings_for
from core.aio import in_db
from core.jobs.work import work
from tests.agents.runs.conftest import carry_out, put, seq_is_whole
from tests.agents.spending.conftest import Play, budget, ended, spend, the_agent, using
from tests.factories.accounts import make_user
from tests.factories.agents import make_agent
from tests.personas import Persona


def refused(asker: Persona, **other: Any) -> str | None:
    who: dict[str, Any] = {"agent_id": the_agent().pk, "user_id": asker.user.pk, **other}
    return refusal_for(**who)


def test_without_a_budget_everything_may_be_spent_for_one_query(asker: Persona) -> None:
    spend(the_agent(), asker.user.pk, tokens=10**9)
    agent_id = the_agent().pk
    with CaptureQueriesContext(connection) as queries:
        assert refusal_for(agent_id=agent_id, user_id=asker.user.pk) is None
    assert len(queries) == 1


def test_budgets_of_all_kinds_are_asked_at_once(asker: Persona) -> None:
    agent = the_agent()
    budget(agent.space_id, max_tokens=1000)
    budget(agent.space_id, subject="agent", agent=agent, max_tokens=1000)
    budget(agent.space_id, subject="user", period="day", max_cost=5)
    spend(agent, asker.user.pk, tokens=10)
    with CaptureQueriesContext(connection) as queries:
        standings = standings_for(agent_id=agent.pk, user_id=asker.user.pk)
    assert len(queries) == 2  # whether there are any, and all of their sums
    assert [each.spent_tokens for each in standings] == [10, 10, 10]


def test_a_used_up_budget_is_named_with_what_was_spent_and_when_it_ends(asker: Persona) -> None:
    budget(asker.space.pk, max_tokens=1000)
    spend(the_agent(), asker.user.pk, tokens=1000)
    with time_machine.travel(datetime(2026, 3, 9, tzinfo=UTC), tick=False):
        spend(the_agent(), asker.user.pk, tokens=1234)
        ModelUsage.objects.update(created_at=timezone.now())
        said = refused(asker)
    assert said is not None
    assert "2,234 of 1,000 tokens" in said
    assert "1 Apr" in said


def test_money_counts_as_well_as_tokens(asker: Persona) -> None:
    budget(asker.space.pk, max_cost=Decimal("1.50"), max_tokens=10**6)
    spend(the_agent(), asker.user.pk, tokens=1, cost="1.49")
    assert refused(asker) is None
    spend(the_agent(), asker.user.pk, tokens=1, cost="0.01")
    assert "1.50 of 1.50 USD" in (refused(asker) or "")


def test_an_agents_budget_leaves_other_agents_alone(asker: Persona) -> None:
    agent, other = the_agent(), make_agent(asker.space)
    budget(asker.space.pk, subject="agent", agent=agent, max_tokens=10)
    spend(agent, asker.user.pk, tokens=10)
    assert refusal_for(agent_id=agent.pk, user_id=asker.user.pk)
    assert refusal_for(agent_id=other.pk, user_id=asker.user.pk) is None


def test_a_budget_of_each_person_counts_each_by_themselves(asker: Persona) -> None:
    other = make_user()
    budget(asker.space.pk, subject="user", max_tokens=10)
    spend(the_agent(), other.pk, tokens=10)
    assert refused(asker, user_id=other.pk)
    assert refused(asker) is None


def test_a_persons_own_budget_stands_in_place_of_that_for_each(asker: Persona) -> None:
    budget(asker.space.pk, subject="user", max_tokens=10)
    budget(asker.space.pk, subject="user", user=asker.user, max_tokens=100)
    spend(the_agent(), asker.user.pk, tokens=50)
    assert refused(asker) is None
    budget(asker.space.pk, subject="user", period="day", max_tokens=10)
    assert refused(asker), "that of another period holds beside it"


def test_what_was_spent_before_the_period_does_not_count(asker: Persona) -> None:
    budget(asker.space.pk, period="day", max_tokens=10)
    old = spend(the_agent(), asker.user.pk, tokens=10)
    ModelUsage.objects.filter(pk=old.pk).update(
        created_at=began_at("day", timezone.now()) - timedelta(seconds=1)
    )
    assert refused(asker) is None


@pytest.mark.parametrize(
    ("period", "ends"),
    [("day", datetime(2026, 1, 1, tzinfo=UTC)), ("month", datetime(2026, 1, 1, tzinfo=UTC))],
    ids=["day", "month"],
)
def test_a_period_ends_with_the_year(period: str, ends: datetime) -> None:
    assert ends_at(period, datetime(2025, 12, 31, 23, 59, tzinfo=UTC)) == ends


def test_a_budget_that_is_switched_off_limits_nothing(asker: Persona) -> None:
    budget(asker.space.pk, max_tokens=0, is_enabled=False)
    assert refused(asker) is None


def test_people_are_warned_from_four_fifths_on(asker: Persona) -> None:
    budget(asker.space.pk, max_tokens=100)
    who: dict[str, Any] = {"agent_id": the_agent().pk, "user_id": asker.user.pk}
    spend(the_agent(), asker.user.pk, tokens=79)
    assert warning_for(**who) == ""
    spend(the_agent(), asker.user.pk, tokens=1)
    assert "80 of 100 tokens" in warning_for(**who)


def test_a_run_stops_before_the_next_call_and_keeps_what_it_has(
    asker: Persona, script: Play
) -> None:
    budget(asker.space.pk, max_tokens=120)
    search = calls(call("grep_chunks", pattern="x"))
    model = script([[*search[:-1], *using("")[-1:]], using("never")])
    run = put(asker, "Why?")
    carry_out()
    assert len(model.asked) == 1
    assert (ended(run).state, run.outcome) == ("done", "limit_reached")
    assert "120 of 120 tokens" in run.reason
    assert seq_is_whole(run)


def test_no_call_begins_when_the_budget_is_used_up(asker: Persona, script: Play) -> None:
    budget(asker.space.pk, max_tokens=120)
    spend(the_agent(), asker.user.pk, tokens=120)
    model = script([])
    run = put(asker, "Why?")
    carry_out()
    assert model.asked == []
    assert ended(run).outcome == "limit_reached"


@pytest.mark.django_db(transaction=True)
async def test_eight_runs_pass_the_cap_by_no_more_than_one_call_each(asker: Persona) -> None:
    """Each call costs 10 of 200: 20 calls fill the budget, then each run may end one more."""
    agent = await in_db(the_agent)
    await in_db(budget, asker.space.pk, max_tokens=200)
    numbers = count(1)
    begun: list[int] = []

    async def spend_on() -> None:
        gate = BudgetGate(agent_id=agent.pk, user_id=asker.user.pk)
        async with ThreadSensitiveContext():
            while await gate.refusal(a_run()) is None:
                begun.append(next(numbers))
                await asyncio.sleep(0)
                await in_db(spend, agent, asker.user.pk, tokens=10)

    await asyncio.gather(*(spend_on() for _ in range(8)))
    spent = await in_db(lambda: sum(ModelUsage.objects.values_list("input_tokens", flat=True)))
    assert 200 <= spent <= 200 + 7 * 10
    assert len(begun) == spent // 10


def test_eight_runs_in_workers_end_with_the_budget(asker: Persona, script: Play) -> None:
    """Each call takes 10 of 200 tokens; without the budget they would make 80 calls."""
    budget(asker.space.pk, max_tokens=200)
    turns = [calls(call("get_document_info", document_ids=[f"d{n}"])) for n in range(80)]
    ends = using("", input_tokens=8, output_tokens=2)[-1:]
    model = script([[*turn[:-1], *ends] for turn in turns])
    runs = [put(asker, f"Question {n}?") for n in range(8)]
    with ThreadPoolExecutor(8) as workers:
        done = list(workers.map(lambda _: _work_once(), runs))
    assert done == [True] * 8
    assert {ended(run).outcome for run in runs} == {"limit_reached"}
    assert {run.reason.partition(":")[0] for run in runs} == {"The space's budget for this month"}
    assert 20 <= len(model.asked) <= 20 + 7
    assert ModelUsage.objects.count() == len(model.asked)


def _work_once() -> bool:
    try:
        return work("runs")
    finally:
        connection.close()
