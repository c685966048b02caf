"""The reference's table of terminations, row by row, then ours: trigger, answer, one last event.

The whole event lists stand in `test_terminations`; here each path has a test of its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from agents.engine.cancel import CancelToken
from agents.engine.events import AgentEvent, RunFinished
from agents.engine.limits import RunLimits
from agents.engine.loop import ReactLoop
from agents.engine.state import RunState
from agents.engine.testing import (
    FakeTool,
    Pause,
    ScriptedModel,
    a_loop,
    a_run,
    call,
    calls,
    end,
    events_of,
    say,
)
from agents.engine.texts import EMPTY_NUDGE
from agents.engine.tools import ToolResult
from providers.contracts.chat import ChatChunk
from providers.contracts.errors import ModelError

FOUND = ToolResult(output="Notice: 30 days [c1].", summary="1 passage about notice")
DOWN = ModelError("overloaded", "The model is overloaded.")
ONE_TRY = RunLimits(model_retries=0)
SEARCH = calls(call("search", queries=["notice"]))


async def end_of(
    turns: Sequence[Any], *, cancel_after: str = "", **settings: Any
) -> tuple[RunFinished, list[AgentEvent], ScriptedModel]:
    """Run to the end; check what holds on every path, and return its last event."""
    token = CancelToken()
    with ScriptedModel(turns) as model:
        loop = a_loop(model, FakeTool(answer=FOUND).tool(), **settings)
        if cancel_after:
            events = await _cancelled(loop, token, after=cancel_after)
        else:
            events = await events_of(loop, a_run())
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    ends = [event for event in events if isinstance(event, RunFinished)]
    assert ends == events[-1:]
    assert ends[0].answer or ends[0].detail
    return ends[0], events, model


async def _cancelled(loop: ReactLoop[Any], token: CancelToken, *, after: str) -> list[AgentEvent]:
    events = []
    async for event in loop.run(a_run(), cancel=token):
        events.append(event)
        if event.type == after:
            token.cancel()
    return events


def degraded(events: Sequence[AgentEvent]) -> list[str]:
    return [event.reason for event in events if event.type == "round_degraded"]


# The reference's rows


async def test_natural_stop_is_the_text_of_the_round() -> None:
    last, events, _ = await end_of([SEARCH, say("Thirty days.")])
    assert (last.outcome, last.reason, last.answer) == ("answered", "natural_stop", "Thirty days.")
    assert degraded(events) == []


async def test_empty_answer_exhausted_is_a_stated_fallback() -> None:
    last, _, model = await end_of([end("stop"), say(" "), end("stop")])
    assert (last.outcome, last.reason) == ("fallback", "empty_answer")
    assert last.answer == last.detail
    nudges = [EMPTY_NUDGE in asked[-1].content for asked in model.asked]
    assert nudges == [False, True, True]


async def test_empty_answer_nudges_use_up_no_round() -> None:
    turns = [end("stop"), end("stop"), say("Thirty days.")]
    last, events, _ = await end_of(turns, limits=RunLimits(max_rounds=1))
    assert last.answer == "Thirty days."
    assert sum(event.type == "round_started" for event in events) == 1


async def test_content_filter_is_what_was_said_or_a_safe_sentence() -> None:
    silent, _, _ = await end_of([say(finish="content_filter")])
    partial, _, _ = await end_of([say("The first half", finish="content_filter")])
    assert (silent.outcome, silent.reason) == ("fallback", "content_filter")
    assert "filtered" in silent.answer
    assert partial.answer == "The first half"


async def test_stagnation_same_text_twice_is_that_text() -> None:
    stuck = say("It depends.", finish="other")
    last, _, model = await end_of([stuck, stuck])
    assert (last.outcome, last.reason) == ("answered", "same_text_twice")
    assert last.answer == "It depends."
    assert len(model.asked) == 2


async def test_cancel_without_results_keeps_what_was_said() -> None:
    turn = [ChatChunk(text="The first half"), Pause()]
    last, _, _ = await end_of([turn], cancel_after="answer_delta")
    assert (last.outcome, last.reason) == ("stopped", "cancelled")
    assert last.answer == "The first half"


async def test_cancel_with_results_salvages_them_without_another_call() -> None:
    last, _, model = await end_of([SEARCH], cancel_after="tool_call_finished")
    assert (last.outcome, last.reason) == ("stopped", "cancelled")
    assert "1 passage about notice" in last.answer
    assert len(model.asked) == 1


async def test_time_out_without_results_states_the_limit() -> None:
    limits = RunLimits(run_timeout_seconds=0.05)
    last, _, _ = await end_of([[Pause()], say("I cannot tell.")], limits=limits)
    assert (last.outcome, last.reason) == ("limit_reached", "run_timeout")
    assert "0.05 s" in last.detail


async def test_time_out_with_results_is_a_synthesis() -> None:
    limits = RunLimits(run_timeout_seconds=0.05)
    last, events, model = await end_of([SEARCH, [Pause()], say("Thirty days.")], limits=limits)
    assert (last.outcome, last.reason) == ("limit_reached", "run_timeout")
    assert last.answer == "Thirty days."
    assert degraded(events) == ["answer_from_results"]
    assert "Notice: 30 days" in model.asked[-1][-1].content


async def test_unrecoverable_model_failure_without_results_is_an_error() -> None:
    last, events, _ = await end_of([[DOWN], [DOWN], [DOWN]])
    assert (last.outcome, last.reason, last.answer) == ("failed", "model_failed", "")
    assert "overloaded" in last.detail
    waits = [event.wait_seconds for event in events if event.type == "model_retry"]
    assert waits == [1.0, 2.0]


async def test_unrecoverable_model_failure_with_results_is_a_synthesis() -> None:
    turns = [SEARCH, [DOWN], say("Thirty days.")]
    last, events, _ = await end_of(turns, limits=ONE_TRY)
    assert (last.outcome, last.reason) == ("fallback", "model_failed")
    assert last.answer == "Thirty days."
    assert degraded(events) == ["answer_from_results"]


async def test_maximum_rounds_is_a_synthesis_without_thinking_and_tools() -> None:
    turns = [SEARCH, calls(call("search", queries=["period"])), say("Thirty days.")]
    last, events, model = await end_of(turns, limits=RunLimits(max_rounds=2))
    assert (last.outcome, last.reason) == ("limit_reached", "max_rounds")
    assert last.answer == "Thirty days."
    assert degraded(events) == ["answer_from_results"]
    assert (model.options[-1].thinking, model.tools[-1]) == (False, ())


# Ours


async def test_same_call_three_times_is_stopped_with_an_explanation() -> None:
    last, events, _ = await end_of([SEARCH, SEARCH, SEARCH, say("Thirty days.")])
    assert (last.outcome, last.reason) == ("limit_reached", "repeated_call")
    assert "same arguments 3 times" in last.detail
    assert last.answer == "Thirty days."
    assert sum(event.type == "tool_call_started" for event in events) == 2


class Budget:
    """Allows so many calls of the model."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    async def refusal(self, state: RunState) -> str | None:
        self.left -= 1
        return None if self.left >= 0 else "The budget of this month is used up."


@pytest.mark.parametrize(("allowed", "answer"), [(0, ""), (1, "1 passage about notice")])
async def test_budget_refusal_asks_no_model_any_more(allowed: int, answer: str) -> None:
    last, _, model = await end_of([SEARCH][:allowed], gate=Budget(allowed))
    assert (last.outcome, last.reason) == ("limit_reached", "budget")
    assert "budget of this month" in last.detail
    assert answer in last.answer
    assert len(model.asked) == allowed


async def test_output_limit_stands_and_is_told() -> None:
    last, events, _ = await end_of([say("The first half", finish="length")])
    assert (last.outcome, last.reason) == ("answered", "output_limit")
    assert degraded(events) == ["answer_cut"]


async def test_internal_error_ends_the_run_too(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        async def refusal(self, state: RunState) -> str | None:
            raise ValueError("a secret")

    last, _, _ = await end_of([], gate=Broken())
    assert (last.outcome, last.reason) == ("failed", "internal_error")
    assert "secret" not in last.detail
    assert "the engine failed" in caplog.text
