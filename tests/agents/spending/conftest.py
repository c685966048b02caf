"""Budgets and usage for tests; runs are those of `tests.agents.runs`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.engine.testing import ScriptedModel, end, say
from agents.models import Agent, AgentRun, Budget, ModelUsage
from providers.contracts.chat import ChatChunk, Usage
from tests.agents.runs.conftest import Script, asker, no_broker, script

Play = Callable[[Script], ScriptedModel]


def using(text: str, *, input_tokens: int = 100, output_tokens: int = 20) -> list[ChatChunk]:
    """A turn of the model that says what it took."""
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    return [*say(text)[:-1], *end(usage=usage)]


def spend(agent: Agent, user_id: int, *, tokens: int, cost: str = "0", **fields: Any) -> ModelUsage:
    """Write down that a person spent tokens with an agent."""
    return ModelUsage.objects.create(
        space_id=agent.space_id,
        agent=agent,
        user_id=user_id,
        model_name="M",
        purpose="round",
        input_tokens=tokens,
        cost=cost,
        **fields,
    )


def budget(space_id: int, **fields: Any) -> Budget:
    """Limit the space, unless the fields say whom else."""
    fields = {"subject": "space", "period": "month", **fields}
    return Budget.objects.create(space_id=space_id, **fields)


def the_agent() -> Agent:
    """The space's only agent."""
    return Agent.objects.get()


def ended(run: AgentRun) -> AgentRun:
    """Return the run as it is stored."""
    run.refresh_from_db()
    return run


__all__ = [
    "asker",
    "budget",
    "ended",
    "no_broker",
    "pytest",
    "script",
    "spend",
    "the_agent",
    "using",
]
