"""Each call of a model is written down once, with what it cost."""

from __future__ import annotations

from decimal import Decimal

import pytest

from agents.engine.events import UsageReported
from agents.models import AgentRun, ModelUsage
from agents.runs.projections import project
from agents.spending.metering import meter
from agents.spending.prices import Prices, cost_of
from providers.contracts.chat import Usage
from providers.models import AIModel
from tests.agents.runs.conftest import carry_out, put
from tests.agents.spending.conftest import Play, the_agent, using
from tests.personas import Persona


@pytest.mark.parametrize(
    ("usage", "prices", "cost"),
    [
        (Usage(input_tokens=1_000_000), Prices(input=Decimal(3)), "3"),
        (Usage(output_tokens=500), Prices(output=Decimal(10)), "0.005"),
        (
            Usage(input_tokens=1000, cached_tokens=400),
            Prices(input=Decimal(2), cached=Decimal("0.5")),
            "0.0014",
        ),
        (Usage(input_tokens=1000, cached_tokens=400), Prices(input=Decimal(2)), "0.002"),
        (Usage(input_tokens=10, cached_tokens=99), Prices(cached=Decimal(1)), "0.00001"),
        (Usage(input_tokens=10, output_tokens=10), Prices(), "0"),
    ],
    ids=["input", "output", "cached", "cached at the full price", "cached over input", "free"],
)
def test_cost_follows_the_prices_of_a_million_tokens(
    usage: Usage, prices: Prices, cost: str
) -> None:
    assert cost_of(usage, prices) == Decimal(cost)


def test_a_call_of_a_run_is_metered_with_the_price_of_its_model(
    asker: Persona, script: Play
) -> None:
    row = AIModel.objects.get(type="chat")
    row.name, row.parameters = "Scripted", {"input_price": 10, "output_price": 50}
    row.save()
    model = script([using("Yes.", input_tokens=1000, output_tokens=100)])
    model.name = "Scripted"
    run = put(asker, "Why?")
    carry_out()
    usage = ModelUsage.objects.get(run=run)
    assert (usage.input_tokens, usage.output_tokens, usage.purpose) == (1000, 100, "round")
    assert usage.cost == Decimal("0.015")
    assert (usage.agent, usage.user, usage.model) == (the_agent(), asker.user, row)


def test_an_event_told_twice_is_metered_once(asker: Persona) -> None:
    run = AgentRun.objects.get(pk=put(asker, "Why?").pk)
    event = UsageReported(
        seq=5,
        round=1,
        purpose="round",
        model="gone",
        usage=Usage(input_tokens=7),
        estimated=False,
        duration_ms=1,
    )
    project(run, [event, event])
    assert ModelUsage.objects.get(run=run).input_tokens == 7
    assert ModelUsage.objects.get(run=run).cost == 0


def test_a_call_outside_of_runs_counts_for_its_person(asker: Persona) -> None:
    model = AIModel.objects.get(type="chat")
    for _ in range(2):
        meter(
            space_id=asker.space.pk,
            user_id=asker.user.pk,
            model=model,
            usage=Usage(input_tokens=3),
            purpose="title",
        )
    assert (
        list(ModelUsage.objects.values_list("purpose", "user_id")) == [("title", asker.user.pk)] * 2
    )
