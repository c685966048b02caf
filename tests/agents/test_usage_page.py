"""The usage page: sums for admins, one's own for others, budgets, CSV."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime

import pytest
import time_machine
from django.urls import reverse
from hypothesis import given, strategies as st

from agents.constants import BudgetPeriod
from agents.models import Agent, Budget, ModelUsage
from agents.pages.usage import CHART_HEIGHT, bars_of
from agents.spending.report import DaySums, Sums, by_day, span_of, usage_rows
from tests.agents.spending.conftest import budget, spend
from tests.factories.agents import make_agent
from tests.personas import Persona

URL = "usage"


@pytest.fixture
def agent(cora: Persona, olivia: Persona) -> Agent:
    """An agent with which Cora spent 1,234 tokens and Olivia 77,000."""
    made = make_agent(cora.space, name="=Reasoner")
    with cora.scope():
        spend(made, cora.user.pk, tokens=1234, cost="0.5")
        spend(made, olivia.user.pk, tokens=77_000)
    return made


def text_of(persona: Persona, **query: str) -> str:
    answer = persona.client.get(reverse(URL), query)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_an_admin_sees_what_all_spend_by_agent_person_and_model(
    adam: Persona, agent: Agent
) -> None:
    text = text_of(adam)
    for told in ("78,234", "By agent", "By person", "By model", "Cora", "0.5000 USD"):
        assert told in text, told
    assert "usage/people" not in text, "only owners come to conversations"


def test_others_see_their_own_alone(cora: Persona, agent: Agent) -> None:
    text = text_of(cora)
    assert "1,234" in text
    assert "78,234" not in text
    assert "By person" not in text
    assert "Budgets" not in text


def test_another_space_sees_nothing_of_it(mallory: Persona, agent: Agent) -> None:
    assert "Nothing was spent" in text_of(mallory)


@pytest.mark.parametrize(
    "days", ["7", "0", "-1", "x", "99999", "٣", "9" * 5000], ids=lambda days: days[:8]
)
def test_any_period_is_answered(adam: Persona, agent: Agent, days: str) -> None:
    assert "78,234" in text_of(adam, days=days)


def test_days_are_whole_days_in_utc(adam: Persona, agent: Agent) -> None:
    with adam.scope(), time_machine.travel(datetime(2026, 3, 9, 23, 30, tzinfo=UTC), tick=False):
        rows = list(ModelUsage.objects.order_by("pk"))
        moments = [datetime(2026, 3, 8, 0, 0, tzinfo=UTC), datetime(2026, 3, 7, 23, 59, tzinfo=UTC)]
        for row, moment in zip(rows, moments, strict=True):
            ModelUsage.objects.filter(pk=row.pk).update(created_at=moment)
        span = span_of(2)
        found = by_day(usage_rows(adam.actor, span), span)
    assert [(each.day.day, each.sums.tokens) for each in found] == [(8, 1234), (9, 0)]


def test_the_csv_is_safe_to_open(adam: Persona, cora: Persona, agent: Agent) -> None:
    answer = adam.client.get(reverse("usage_export"))
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["person"] for row in rows] == ["olivia@example.org", "cora@example.org"]
    assert {row["agent"] for row in rows} == {"'=Reasoner"}
    mine = cora.client.get(reverse("usage_export")).content.decode()
    assert "olivia" not in mine


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)), min_size=1, max_size=40))
def test_bars_stand_on_each_other_inside_of_the_chart(sums: list[tuple[int, int]]) -> None:
    day = datetime(2026, 3, 9, tzinfo=UTC).date()
    days = [DaySums(day=day, sums=Sums(input_tokens=a, output_tokens=b)) for a, b in sums]
    for bar in bars_of(days):
        assert -0.02 <= bar.output_y <= bar.input_y + 0.02
        assert bar.input_y + bar.input_height == pytest.approx(CHART_HEIGHT, abs=0.02)
        assert 0 <= bar.x <= bar.x + bar.width <= 1000.01


def test_an_admin_sets_changes_and_deletes_a_budget_here(adam: Persona, agent: Agent) -> None:
    values = {"whose": f"agent:{agent.pk}", "period": "month", "max_tokens": "90000"}
    assert adam.client.post(reverse(URL), values).status_code == 302
    with adam.scope():
        made = Budget.objects.get()
    assert (made.agent_id, made.max_tokens) == (agent.pk, 90_000)
    text = text_of(adam)
    assert "78,234 of 90,000 tokens" in text
    assert "nearly used up" in text
    adam.client.post(reverse("budget_change", args=[made.pk]), {"max_tokens": "70000"})
    assert ">used up<" in text_of(adam).replace("</svg>", ">")
    adam.client.post(reverse("budget_delete", args=[made.pk]))
    with adam.scope():
        assert not Budget.objects.exists()


def test_a_budget_without_a_limit_is_refused_at_its_field(adam: Persona) -> None:
    answer = adam.client.post(reverse(URL), {"whose": "space", "period": BudgetPeriod.DAY})
    assert answer.status_code == 422
    assert "Enter how many tokens" in answer.content.decode()


def test_the_composer_warns_when_a_budget_is_nearly_spent(cora: Persona, agent: Agent) -> None:
    with cora.scope():
        budget(cora.space.pk, subject="user", max_tokens=1500)
    text = cora.client.get(reverse("chat_new")).content.decode()
    assert "1,234 of 1,500 tokens" in text
