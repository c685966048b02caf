"""One call of the model: retries, pauses, time limits."""

from __future__ import annotations

import asyncio

from inline_snapshot import snapshot

from agents.engine.events import RunFinished
from agents.engine.limits import RunLimits
from agents.engine.testing import Pause, ScriptedModel, a_loop, a_run, events_of, say, told
from providers.contracts.chat import ChatChunk, ChatOptions
from providers.contracts.errors import ModelError


class Sleeper:
    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)


async def test_a_transient_failure_is_tried_again_after_one_and_two_seconds() -> None:
    sleep = Sleeper()
    turns = [[ModelError("rate_limited", "Slow down.")], [ModelError("server", "500")], say("Yes.")]
    with ScriptedModel(turns) as model:
        events = await events_of(a_loop(model, sleep=sleep), a_run())
    assert sleep.slept == [1.0, 2.0]
    assert told(events)[2:4] == snapshot(
        [
            {
                "type": "model_retry",
                "round": 1,
                "attempt": 1,
                "wait_seconds": 1.0,
                "reason": "Slow down.",
            },
            {"type": "model_retry", "round": 1, "attempt": 2, "wait_seconds": 2.0, "reason": "500"},
        ]
    )
    assert isinstance(events[-1], RunFinished)
    assert events[-1].outcome == "answered"


async def test_the_pause_a_service_asks_for_is_honoured() -> None:
    sleep = Sleeper()
    busy = ModelError("rate_limited", "Slow down.", retry_after_seconds=7.5)
    with ScriptedModel([[busy], say("Yes.")]) as model:
        await events_of(a_loop(model, sleep=sleep), a_run())
    assert sleep.slept == [7.5]


async def test_a_pause_that_is_too_long_is_not_waited_for() -> None:
    sleep = Sleeper()
    busy = ModelError("rate_limited", "Come back tomorrow.", retry_after_seconds=86_400)
    with ScriptedModel([[busy]]) as model:
        events = await events_of(a_loop(model, sleep=sleep), a_run())
    assert sleep.slept == []
    assert "tomorrow" in told(events)[-1]["detail"]


async def test_a_final_failure_is_not_tried_again() -> None:
    with ScriptedModel([[ModelError("bad_request", "Unknown parameter.")]]) as model:
        events = await events_of(a_loop(model), a_run())
    assert told(events)[-1]["reason"] == "model_failed"


async def test_what_a_failed_attempt_showed_is_withdrawn() -> None:
    turns = [[ChatChunk(text="Wro"), ModelError("unreachable", "Lost.")], say("Right.")]
    with ScriptedModel(turns) as model:
        events = await events_of(a_loop(model), a_run())
    assert told(events)[2:6] == snapshot(
        [
            {"type": "answer_delta", "text": "Wro"},
            {"type": "answer_reset", "reason": "retry"},
            {
                "type": "model_retry",
                "round": 1,
                "attempt": 1,
                "wait_seconds": 1.0,
                "reason": "Lost.",
            },
            {"type": "answer_delta", "text": "Right."},
        ]
    )
    assert told(events)[-1]["answer"] == "Right."


async def test_a_call_that_takes_too_long_is_ended_and_tried_again() -> None:
    limits = RunLimits(call_timeout_seconds=0.02)
    with ScriptedModel([[ChatChunk(text="Slo"), Pause()], say("Quick.")]) as model:
        events = await events_of(a_loop(model, limits=limits), a_run())
    retry = next(event for event in told(events) if event["type"] == "model_retry")
    assert retry["reason"] == "The model did not finish its answer within 0.02 s."
    assert told(events)[-1]["answer"] == "Quick."


async def test_time_outside_of_the_model_does_not_count() -> None:
    limits = RunLimits(call_timeout_seconds=0.05)
    model = ScriptedModel([say("One.", "Two.", "Three.")])
    pieces = []
    async for event in a_loop(model, limits=limits).run(a_run()):
        if event.type == "answer_delta":
            pieces.append(event.text)
            await asyncio.sleep(0.04)
    assert pieces == ["One.", "Two.", "Three."]


async def test_a_turn_without_end_is_cut() -> None:
    limits = RunLimits(max_turn_chars=1000)
    endless = [ChatChunk(text="again and again ")] * 200
    with ScriptedModel([endless]) as model:
        events = await events_of(a_loop(model, limits=limits), a_run())
    assert told(events)[-1]["reason"] == "output_limit"
    assert len(told(events)[-1]["answer"]) < 1100


async def test_the_agents_options_reach_the_model() -> None:
    options = ChatOptions(temperature=0.3, max_output_tokens=900, metadata={"run": "r1"})
    with ScriptedModel([say("Yes.")]) as model:
        await events_of(a_loop(model, options=options), a_run())
    assert model.options[0].temperature == 0.3
    assert model.options[0].max_output_tokens == 900
    assert model.options[0].metadata == {"run": "r1", "round": "1", "purpose": "round"}
    assert model.options[0].timeout_seconds == 120
