"""The loop as a whole: order of events, rounds, modes, promises about the end."""

from __future__ import annotations

import asyncio

import pytest
from inline_snapshot import snapshot

from agents.engine.cancel import CancelToken
from agents.engine.errors import RunInterrupted
from agents.engine.events import AgentEvent, RunFinished
from agents.engine.limits import RunLimits
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
    raw_call,
    say,
    think,
    told,
)
from agents.engine.tools import ToolResult
from providers.contracts.chat import ChatChunk, Usage


async def test_a_question_without_tools_is_answered_in_one_round() -> None:
    with ScriptedModel([[*think("Easy."), *say("Forty", "-two.")]]) as model:
        events = await events_of(a_loop(model), a_run("What is 6 × 7?"))
    assert told(events) == snapshot(
        [
            {"type": "run_started", "question": "What is 6 × 7?", "mode": "react"},
            {"type": "round_started", "round": 1},
            {"type": "thought_delta", "round": 1, "text": "Easy."},
            {"type": "thought_finished", "round": 1, "duration_ms": 1},
            {"type": "answer_delta", "text": "Forty"},
            {"type": "answer_delta", "text": "-two."},
            {"type": "answer_finished", "text": "Forty-two."},
            {
                "type": "run_finished",
                "outcome": "answered",
                "reason": "natural_stop",
                "answer": "Forty-two.",
            },
        ]
    )
    assert [event.seq for event in events] == list(range(1, len(events) + 1))


async def test_a_preamble_moves_into_the_steps_when_a_tool_call_follows() -> None:
    search = FakeTool(answer=ToolResult(output="Notice: 30 days.", summary="1 passage"))
    turns = [
        calls(call("search", queries=["notice"]), before=[ChatChunk(text="I will look.")]),
        say("Thirty days."),
    ]
    with ScriptedModel(turns) as model:
        events = await events_of(a_loop(model, search.tool()), a_run("Notice period?"))
    assert told(events) == snapshot(
        [
            {"type": "run_started", "question": "Notice period?", "mode": "react"},
            {"type": "round_started", "round": 1},
            {"type": "answer_delta", "text": "I will look."},
            {"type": "preamble_moved", "round": 1, "text": "I will look."},
            {"type": "answer_reset", "reason": "preamble"},
            {
                "type": "tool_call_started",
                "round": 1,
                "call_id": "search",
                "name": "search",
                "arguments": {"queries": ["notice"]},
                "title": "Search",
            },
            {
                "type": "tool_call_finished",
                "round": 1,
                "call_id": "search",
                "name": "search",
                "ok": True,
                "output": "Notice: 30 days.",
                "summary": "1 passage",
                "duration_ms": 1,
            },
            {"type": "round_started", "round": 2},
            {"type": "answer_delta", "text": "Thirty days."},
            {"type": "answer_finished", "text": "Thirty days."},
            {
                "type": "run_finished",
                "outcome": "answered",
                "reason": "natural_stop",
                "answer": "Thirty days.",
            },
        ]
    )


async def test_citations_come_before_the_text_that_holds_them() -> None:
    state = a_run()
    state.aliases.chunk("chunk-7", document_id="doc-3", title="Contract.pdf", page=4)
    with ScriptedModel([say("Thirty days [c", "1], see [c9] too.")]) as model:
        events = await events_of(a_loop(model), state)
    assert told(events) == snapshot(
        [
            {"type": "run_started", "question": "What is it?", "mode": "react"},
            {"type": "round_started", "round": 1},
            {"type": "answer_delta", "text": "Thirty days"},
            {
                "type": "citation_added",
                "marker": 1,
                "alias": "c1",
                "kind": "chunk",
                "chunk_id": "chunk-7",
                "document_id": "doc-3",
                "title": "Contract.pdf",
                "page": 4,
            },
            {"type": "answer_delta", "text": " [1], see too."},
            {"type": "answer_finished", "text": "Thirty days [1], see too."},
            {
                "type": "run_finished",
                "outcome": "answered",
                "reason": "natural_stop",
                "answer": "Thirty days [1], see too.",
            },
        ]
    )
    assert state.unknown_citations == 1


async def test_the_model_reads_results_in_its_own_order() -> None:
    pause = Pause()
    slow = FakeTool("slow", answer="from slow", pause=pause)
    fast = FakeTool("fast", answer="from fast")
    turns = [calls(call("slow"), call("fast", index=1)), say("Done.")]
    ended = []
    with ScriptedModel(turns) as model:
        async for event in a_loop(model, slow.tool(), fast.tool()).run(a_run()):
            if event.type == "tool_call_finished":
                ended.append(event.call_id)
                pause.go_on.set()
    assert ended == ["fast", "slow"]
    assert [m.content for m in model.asked[1] if m.role == "tool"] == ["from slow", "from fast"]


async def test_a_quick_answer_uses_no_tools_and_sends_its_passages_along() -> None:
    state = a_run(mode="quick", runtime_context="<passages>thirty days</passages>")
    with ScriptedModel([say("Thirty days.")]) as model:
        events = await events_of(a_loop(model, FakeTool().tool()), state)
    assert model.tools == [()]
    assert model.asked[0][-1].content.endswith("<passages>thirty days</passages>")
    assert "passages" not in state.messages[state.question_at].content
    assert told(events)[0] == {
        "type": "run_started",
        "question": "What is it?",
        "mode": "quick",
    }


async def test_a_call_in_a_quick_answer_is_answered_with_a_nudge() -> None:
    turns = [calls(call("search", queries=["x"])), say("Thirty days.")]
    with ScriptedModel(turns) as model:
        events = await events_of(a_loop(model, FakeTool().tool()), a_run(mode="quick"))
    assert "no tools" in model.asked[1][-1].content
    assert isinstance(events[-1], RunFinished)
    assert events[-1].answer == "Thirty days."


async def test_usage_of_the_service_is_reported_and_summed() -> None:
    usage = Usage(input_tokens=100, output_tokens=7, cached_tokens=60)
    state = a_run()
    turn = [*say("Yes.", finish=None), *end(usage=usage)]
    with ScriptedModel([turn]) as model:
        events = await events_of(a_loop(model), state)
    reports = [event for event in events if event.type == "usage_reported"]
    assert [(report.usage, report.estimated) for report in reports] == [(usage, False)]
    assert (state.usage, state.model_calls) == (usage, 1)


async def test_usage_is_estimated_when_the_service_gives_none() -> None:
    with ScriptedModel([say("Yes, of course it is.")]) as model:
        events = await events_of(a_loop(model), a_run())
    report = next(event for event in events if event.type == "usage_reported")
    assert report.estimated
    assert report.usage.output_tokens > 0


async def test_an_engine_bug_still_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("agents.engine.loop.conclude", broken)
    with ScriptedModel([say("Yes.")]) as model:
        events = await events_of(a_loop(model), a_run())
    assert told(events)[-1] == {
        "type": "run_finished",
        "outcome": "failed",
        "reason": "internal_error",
        "detail": "An internal error ended this run; it was logged.",
        "answer": "Yes.",
    }


async def test_a_model_that_breaks_its_contract_still_ends_the_run() -> None:
    with ScriptedModel([[ChatChunk(text="Ye"), ValueError("no ModelError")]]) as model:
        events = await events_of(a_loop(model), a_run())
    assert isinstance(events[-1], RunFinished)
    assert (events[-1].outcome, events[-1].answer) == ("failed", "Ye")


async def test_an_interrupted_run_has_no_end_and_goes_on_later() -> None:
    class Gate:
        def __init__(self) -> None:
            self.open = False

        async def refusal(self, state: RunState) -> str | None:
            if not self.open:
                raise RunInterrupted("the lease is lost")
            return None

    gate, state = Gate(), a_run()
    model = ScriptedModel([say("Yes.")])
    seen: list[AgentEvent] = []

    async def work() -> None:
        async for event in a_loop(model, gate=gate).run(state):
            seen.append(event)

    with pytest.raises(RunInterrupted):
        await work()
    assert not any(isinstance(event, RunFinished) for event in seen)
    gate.open = True
    seen += await events_of(a_loop(model, gate=gate), state)
    assert [event.seq for event in seen] == list(range(1, len(seen) + 1))
    assert isinstance(seen[-1], RunFinished)


async def test_a_budget_that_is_used_up_stops_before_the_call() -> None:
    class Gate:
        async def refusal(self, state: RunState) -> str | None:
            return "The space's budget for this month is used up."

    with ScriptedModel([]) as model:
        events = await events_of(a_loop(model, gate=Gate()), a_run())
    assert told(events)[-1]["reason"] == "budget"
    assert "budget for this month" in told(events)[-1]["detail"]


async def test_a_finished_run_says_nothing_more() -> None:
    state = a_run()
    with ScriptedModel([say("Yes.")]) as model:
        await events_of(a_loop(model), state)
        assert await events_of(a_loop(model), state) == []


async def test_cancelling_the_task_is_not_the_end_of_the_run() -> None:
    state, pause = a_run(), Pause()
    seen: list[AgentEvent] = []
    search = FakeTool(pause=pause)

    async def work() -> None:
        async for event in a_loop(ScriptedModel([calls(call("search"))]), search.tool()).run(state):
            seen.append(event)

    task = asyncio.create_task(work())
    await pause.reached.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not state.finished
    assert not any(isinstance(event, RunFinished) for event in seen)


async def test_a_stop_before_the_first_call_asks_no_model() -> None:
    token = CancelToken()
    token.cancel()
    with ScriptedModel([]) as model:
        events = await events_of(a_loop(model), a_run(), cancel=token)
    assert [event["type"] for event in told(events)] == ["run_started", "run_finished"]
    assert told(events)[-1]["outcome"] == "stopped"


async def test_calls_of_a_turn_that_was_cut_are_not_run() -> None:
    write = FakeTool("write", parameters={"type": "object"})
    cut = [*raw_call("write", '{"text": "half a se'), *end("length")]
    with ScriptedModel([cut, say("Sorry.")]) as model:
        events = await events_of(a_loop(model, write.tool()), a_run())
    assert write.calls == []
    failed = next(event for event in told(events) if event["type"] == "tool_call_finished")
    assert failed["error_code"] == "cut_arguments"
    assert "calls_cut" in [event.get("reason") for event in told(events)]


async def test_too_many_calls_in_one_turn_are_cut_and_told() -> None:
    search = FakeTool()
    many = [call("search", call_id=f"c{n}", index=n, n=n) for n in range(5)]
    with ScriptedModel([calls(*many), say("Done.")]) as model:
        loop = a_loop(model, search.tool(), limits=RunLimits(max_calls_per_round=3))
        events = await events_of(loop, a_run())
    assert len(search.calls) == 3
    assert "Only the first 3 of 5 tool calls were run." in [e.get("detail") for e in told(events)]


async def test_the_gate_is_asked_before_the_last_answer_too() -> None:
    class Gate:
        calls_left = 1

        async def refusal(self, state: RunState) -> str | None:
            self.calls_left -= 1
            return None if self.calls_left >= 0 else "The budget is used up."

    turns = [calls(call("search", queries=["notice"]))]
    with ScriptedModel(turns) as model:
        loop = a_loop(model, FakeTool().tool(), gate=Gate(), limits=RunLimits(max_rounds=1))
        events = await events_of(loop, a_run())
    last = told(events)[-1]
    assert (last["outcome"], last["reason"]) == ("limit_reached", "max_rounds")
    assert last["answer"], "the findings are listed without a model"
