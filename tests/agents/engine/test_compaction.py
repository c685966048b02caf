"""Long runs stay inside of the window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inline_snapshot import snapshot

from agents.engine.compaction import SUMMARY_OPEN
from agents.engine.events import AgentEvent, ContextCompacted, RunFinished
from agents.engine.limits import RunLimits
from agents.engine.loop import ReactLoop
from agents.engine.state import RunState, TokenBaseline
from agents.engine.testing import (
    FakeTool,
    ScriptedModel,
    a_loop,
    a_run,
    call,
    calls,
    end,
    events_of,
    say,
    told,
)
from agents.engine.tools import Tool
from providers.contracts.chat import ChatChunk, ChatMessage, ToolCall, Usage
from providers.contracts.errors import ModelError

WINDOW = 8_192
LIMITS = RunLimits(context_tokens=WINDOW, max_output_tokens=512)
LONG = "word " * 1_000
"""About 1,250 tokens by the estimate."""


def long_run(turns: int = 4) -> RunState:
    history = [
        ChatMessage(role=role, content=f"{role} {number}: {LONG}")
        for number in range(turns)
        for role in ("user", "assistant")
    ]
    return RunState.begin("And the notice period?", system="You answer.", history=history)


def loop_over(model: ScriptedModel, *tools: Tool[Any], **more: Any) -> ReactLoop[Any]:
    return a_loop(model, *tools, **{"limits": LIMITS, **more})


def compactions(events: Sequence[AgentEvent]) -> list[ContextCompacted]:
    return [event for event in events if isinstance(event, ContextCompacted)]


async def test_old_messages_become_a_summary_and_the_question_stays() -> None:
    state = long_run()
    with ScriptedModel([say("## Goal\nNotice [c1]."), say("Thirty days.")]) as model:
        events = await events_of(loop_over(model), state)
    sent = model.asked[1]
    assert [message.role for message in sent][:2] == ["system", "user"]
    assert sent[1].content.startswith(f"{SUMMARY_OPEN}\n## Goal\nNotice [c1].")
    assert sent[-1].content.endswith("And the notice period?")
    (compacted,) = compactions(events)
    assert compacted.after_tokens < compacted.before_tokens / 2
    assert (compacted.reason, compacted.degraded, compacted.split_turn) == (
        "threshold",
        False,
        False,
    )
    assert told(events)[-1]["answer"] == "Thirty days."
    assert "Goal" not in "".join(event.get("text", "") for event in told(events))


async def test_nothing_is_compacted_while_there_is_room() -> None:
    with ScriptedModel([say("Thirty days.")]) as model:
        events = await events_of(loop_over(model), long_run(1))
    assert compactions(events) == []


async def test_the_services_own_figure_is_the_base_line() -> None:
    state = long_run(1)
    state.baseline = TokenBaseline(tokens=WINDOW, messages=len(state.messages) - 1)
    with ScriptedModel([say("Summary."), say("Thirty days.")]) as model:
        events = await events_of(loop_over(model), state)
    assert compactions(events)[0].before_tokens > WINDOW


async def test_a_call_is_never_separated_from_its_result() -> None:
    search = FakeTool(answer=LONG)
    turns = [calls(call("search", n=number)) for number in range(4)]
    script = [*turns, say("Summary."), say("Thirty days.")]
    with ScriptedModel(script) as model:
        events = await events_of(loop_over(model, search.tool()), a_run())
    (compacted,) = compactions(events)
    assert compacted.split_turn
    sent = model.asked[-1]
    ids = [made.call_id for message in sent for made in message.tool_calls]
    answered = [message.call_id for message in sent if message.role == "tool"]
    assert ids == answered != []
    assert "What is it?" in [message.content for message in sent][1]


async def test_a_second_compaction_updates_the_first_summary() -> None:
    search = FakeTool(answer=LONG)
    turns = [calls(call("search", n=number)) for number in range(4)]
    more = [calls(call("search", n=number)) for number in range(4, 7)]
    script = [*turns, say("First summary."), *more, say("Second summary."), say("Thirty days.")]
    state = a_run()
    with ScriptedModel(script) as model:
        events = await events_of(loop_over(model, search.tool()), state)
    assert len(compactions(events)) == 2
    request = model.asked[-2][-1].content
    assert "<previous_summary>\nFirst summary." in request
    assert request.count("First summary.") == 1
    assert state.summary == "Second summary."
    assert sum(SUMMARY_OPEN in message.content for message in model.asked[-1]) == 1


async def test_file_lists_are_carried_mechanically() -> None:
    def made(number: int, name: str, path: str) -> list[ChatMessage]:
        wanted = ToolCall(call_id=f"f{number}", name=name, arguments=f'{{"path": "{path}"}}')
        return [
            ChatMessage(role="assistant", tool_calls=(wanted,)),
            ChatMessage(role="tool", content=LONG, call_id=f"f{number}"),
        ]

    history = [
        *made(1, "read_file", "/workspace/a.csv"),
        *made(2, "write_sandbox_file", "/workspace/output/b.md"),
    ]
    history += long_run(3).messages[1:-1]
    state = RunState.begin("Go on?", system="You answer.", history=history)
    with ScriptedModel([say("Summary without files."), say("Yes.")]) as model:
        await events_of(loop_over(model), state)
    assert "<files_read>\n/workspace/a.csv\n</files_read>" in state.summary
    assert "<files_written>\n/workspace/output/b.md\n</files_written>" in state.summary


async def test_two_failed_attempts_keep_the_raw_text_marked_degraded() -> None:
    busy = [ModelError("server", "500")]
    with ScriptedModel([busy, end("stop"), say("Thirty days.")]) as model:
        events = await events_of(loop_over(model), long_run())
    (compacted,) = compactions(events)
    assert compacted.degraded
    assert "summary_failed" in [event.get("reason") for event in told(events)]
    assert "[user] user 0: word" in model.asked[-1][1].content


async def test_an_overflow_is_compacted_and_asked_again_once() -> None:
    overflow = [ModelError("context_overflow", "Too long.")]
    state = long_run(1)
    with ScriptedModel([overflow, say("Summary."), say("Thirty days.")]) as model:
        events = await events_of(loop_over(model), state)
    assert [event.reason for event in compactions(events)] == ["overflow"]
    assert told(events)[-1]["answer"] == "Thirty days."
    assert state.round == 1


async def test_a_second_overflow_ends_the_run_with_its_reason() -> None:
    overflow = [ModelError("context_overflow", "Too long.")]
    with ScriptedModel([overflow, say("Summary."), overflow]) as model:
        events = await events_of(loop_over(model), long_run(1))
    assert told(events)[-1]["detail"] == "The model failed: Too long."


async def test_an_answer_cut_by_the_window_counts_as_overflow() -> None:
    cut = [
        ChatChunk(text="Thir"),
        *end("length", usage=Usage(input_tokens=WINDOW - 50, output_tokens=50)),
    ]
    with ScriptedModel([cut, say("Summary."), say("Thirty days.")]) as model:
        events = await events_of(loop_over(model), long_run(1))
    assert [event.reason for event in compactions(events)] == ["overflow"]
    assert told(events)[-1]["answer"] == "Thirty days."


async def test_an_answer_cut_by_its_own_limit_is_no_overflow() -> None:
    usage = Usage(input_tokens=WINDOW - 512, output_tokens=512)
    cut = [ChatChunk(text="Thir"), *end("length", usage=usage)]
    with ScriptedModel([cut]) as model:
        events = await events_of(loop_over(model), long_run(1))
    assert compactions(events) == []
    assert told(events)[-1]["reason"] == "output_limit"


async def test_results_are_shortened_as_the_last_resort() -> None:
    search = FakeTool(answer="word " * 5_000)
    script = [calls(call("search")), say("Thirty days.")]
    state = a_run()
    with ScriptedModel(script) as model:
        tool = search.tool(output_budget_chars=100_000)
        events = await events_of(loop_over(model, tool), state)
    assert "results_shortened" in [event.get("reason") for event in told(events)]
    result = next(message for message in model.asked[-1] if message.role == "tool")
    assert len(result.content) < 12_000
    assert "characters left out here" in result.content


async def test_what_cannot_gain_anything_is_not_tried_at_every_call() -> None:
    state = RunState.begin("word " * 5_000, system="You answer.")
    with ScriptedModel([say("other", finish="other"), say("Thirty days.")]) as model:
        events = await events_of(loop_over(model), state)
    assert compactions(events) == []
    assert isinstance(events[-1], RunFinished)


async def test_the_runtime_context_survives_compaction_with_the_question() -> None:
    state = long_run()
    state.runtime_context = "<runtime_context>today</runtime_context>"
    with ScriptedModel([say("Summary."), say("Thirty days.")]) as model:
        await events_of(loop_over(model), state)
    assert model.asked[-1][-1].content.endswith("<runtime_context>today</runtime_context>")
    assert "runtime_context" not in model.asked[0][-1].content


async def test_the_whole_event_list_of_a_compacted_run() -> None:
    with ScriptedModel([say("Summary."), say("Thirty days.")]) as model:
        events = await events_of(loop_over(model), long_run())
    assert told(events) == snapshot(
        [
            {"type": "run_started", "question": "And the notice period?", "mode": "react"},
            {"type": "round_started", "round": 1},
            {
                "type": "context_compacted",
                "round": 1,
                "reason": "threshold",
                "before_tokens": 10060,
                "after_tokens": 32,
                "before_messages": 10,
                "after_messages": 3,
                "split_turn": False,
                "degraded": False,
            },
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
