"""The ways a run ends, stored: one `run_finished` row, a state, an answer or a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.constants import RunState
from agents.engine.testing import FakeTool, ScriptedModel, call, calls, end, say
from agents.models import Agent, Message, RunEvent
from agents.tools import registry
from providers.contracts.errors import ModelError
from tests.agents.engine.test_termination_paths import FOUND
from tests.agents.runs.conftest import Script, carry_out, put, seq_is_whole, types_of
from tests.personas import Persona

Play = Callable[[Script], ScriptedModel]
DOWN = ModelError("auth", "The key was refused.")
SEARCH = calls(call("search", queries=["notice"]))
OTHER = calls(call("search", queries=["period"]))
CASES: list[Any] = [
    pytest.param([say("Yes.")], RunState.DONE, "answered", "natural_stop", id="natural stop"),
    pytest.param(
        [end("stop")] * 3, RunState.DONE, "fallback", "empty_answer", id="empty answer exhausted"
    ),
    pytest.param(
        [say(finish="content_filter")],
        RunState.DONE,
        "fallback",
        "content_filter",
        id="content filter",
    ),
    pytest.param(
        [say("Hm.", finish="other")] * 2,
        RunState.DONE,
        "answered",
        "same_text_twice",
        id="stagnation",
    ),
    pytest.param([[DOWN]], RunState.FAILED, "failed", "model_failed", id="model failed"),
    pytest.param(
        [SEARCH, [DOWN]],
        RunState.DONE,
        "fallback",
        "model_failed",
        id="model failed with results",
    ),
    pytest.param(
        [SEARCH, OTHER, say("Thirty days.")],
        RunState.DONE,
        "limit_reached",
        "max_rounds",
        id="maximum rounds",
    ),
    pytest.param(
        [SEARCH] * 3 + [say("Thirty days.")],
        RunState.DONE,
        "limit_reached",
        "repeated_call",
        id="same call three times",
    ),
]


@pytest.mark.parametrize(("turns", "state", "outcome", "reason"), CASES)
def test_end_is_stored_once(
    asker: Persona,
    script: Play,
    monkeypatch: pytest.MonkeyPatch,
    turns: Script,
    state: str,
    outcome: str,
    reason: str,
) -> None:
    monkeypatch.setitem(registry._tools, "search", FakeTool(answer=FOUND).tool())
    rounds = 2 if reason == "max_rounds" else 10
    Agent.objects.update(config={"allowed_tools": ["search"], "max_iterations": rounds})
    script(turns)
    run = put(asker, "What is the notice period?")
    carry_out()
    run.refresh_from_db()
    assert (run.state, run.outcome) == (state, outcome)
    assert types_of(run).count("run_finished") == 1
    assert types_of(run)[-1] == "run_finished"
    assert seq_is_whole(run)
    assert RunEvent.objects.get(run=run, type="run_finished").data["reason"] == reason
    assert run.answer is not None or run.reason
    assert Message.objects.filter(answered_run=run).count() == (1 if run.answer else 0)
    assert run.ended_at is not None
