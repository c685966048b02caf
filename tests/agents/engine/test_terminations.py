"""Every way a run can end, by its name in the reference's table, each with its whole event list."""

from __future__ import annotations

from inline_snapshot import snapshot

from agents.engine.cancel import CancelToken
from agents.engine.events import AgentEvent
from agents.engine.limits import RunLimits
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
    think,
    told,
)
from agents.engine.tools import ToolResult
from providers.contracts.chat import ChatChunk
from providers.contracts.errors import ModelError

FOUND = ToolResult(output="Notice: 30 days [c1].", summary="1 passage about notice")
BUSY = ModelError("overloaded", "The model is overloaded.")
NO_RETRY = RunLimits(model_retries=0)


def last(events: list[AgentEvent]) -> dict[str, object]:
    return told(events)[-1]


async def test_natural_stop() -> None:
    with ScriptedModel([say("Thirty days.")]) as model:
        events = await events_of(a_loop(model), a_run())
    assert last(events) == snapshot(
        {
            "type": "run_finished",
            "outcome": "answered",
            "reason": "natural_stop",
            "answer": "Thirty days.",
        }
    )


async def test_empty_answer_retries_exhausted() -> None:
    turns = [end("stop"), [*think("Hm."), *end("stop")], say(" ", "\n")]
    state = a_run()
    with ScriptedModel(turns) as model:
        events = await events_of(a_loop(model), state)
    assert told(events) == snapshot(
        [
            {"type": "run_started", "question": "What is it?", "mode": "react"},
            {"type": "round_started", "round": 1},
            {"type": "thought_delta", "round": 1, "text": "Hm."},
            {"type": "thought_finished", "round": 1, "duration_ms": 1},
            {
                "type": "answer_delta",
                "text": "The model gave no answer, although it was asked again. Please rephrase the question or choose another model.",
            },
            {
                "type": "answer_finished",
                "text": "The model gave no answer, although it was asked again. Please rephrase the question or choose another model.",
            },
            {
                "type": "run_finished",
                "outcome": "fallback",
                "reason": "empty_answer",
                "detail": "The model gave no answer, although it was asked again. Please rephrase the question or choose another model.",
                "answer": "The model gave no answer, although it was asked again. Please rephrase the question or choose another model.",
            },
        ]
    )
    assert [options.thinking for options in model.options] == [None, None, False]
    assert state.round == 1


async def test_empty_answer_retries_exhausted_with_results() -> None:
    search = FakeTool(answer=FOUND)
    turns = [calls(call("search")), end("stop"), end("stop"), end("stop"), say("Thirty days.")]
    with ScriptedModel(turns) as model:
        events = await events_of(a_loop(model, search.tool()), a_run())
    assert told(events)[-4:] == snapshot(
        [
            {
                "type": "round_degraded",
                "round": 2,
                "reason": "answer_from_results",
                "detail": "The answer was written from the results found so far. The model gave no answer, although it was asked again. Please rephrase the question or choose another model.",
            },
            {"type": "answer_delta", "text": "Thirty days."},
            {"type": "answer_finished", "text": "Thirty days."},
            {
                "type": "run_finished",
                "outcome": "fallback",
                "reason": "empty_answer",
                "detail": "The model gave no answer, although it was asked again. Please rephrase the question or choose another model.",
                "answer": "Thirty days.",
            },
        ]
    )


async def test_content_filter() -> None:
    with ScriptedModel([say(finish="content_filter")]) as model:
        events = await events_of(a_loop(model), a_run())
    assert told(events)[2:] == snapshot(
        [
            {
                "type": "answer_delta",
                "text": "The model's provider filtered this answer, so it cannot be shown.",
            },
            {
                "type": "answer_finished",
                "text": "The model's provider filtered this answer, so it cannot be shown.",
            },
            {
                "type": "run_finished",
                "outcome": "fallback",
                "reason": "content_filter",
                "detail": "The model's provider filtered this answer, so it cannot be shown.",
                "answer": "The model's provider filtered this answer, so it cannot be shown.",
            },
        ]
    )


async def test_content_filter_keeps_what_was_said() -> None:
    with ScriptedModel([say("The first half", finish="content_filter")]) as model:
        events = await events_of(a_loop(model), a_run())
    assert last(events) == snapshot(
        {
            "type": "run_finished",
            "outcome": "fallback",
            "reason": "content_filter",
            "detail": (
                "The model's provider filtered this answer; what had come until then is shown."
            ),
            "answer": "The first half",
        }
    )


async def test_content_filter_as_an_error() -> None:
    with ScriptedModel([[ModelError("content_filter", "Refused.")]]) as model:
        events = await events_of(a_loop(model), a_run())
    assert last(events) == snapshot(
        {
            "type": "run_finished",
            "outcome": "fallback",
            "reason": "content_filter",
            "detail": "The model's provider filtered this answer, so it cannot be shown.",
            "answer": "The model's provider filtered this answer, so it cannot be shown.",
        }
    )


async def test_stalled_same_text_twice() -> None:
    turns = [say("It depends.", finish="other"), say("It depends.", finish="other")]
    with ScriptedModel(turns) as model:
        events = await events_of(a_loop(model), a_run())
    assert told(events) == snapshot(
        [
            {"type": "run_started", "question": "What is it?", "mode": "react"},
            {"type": "round_started", "round": 1},
            {"type": "answer_delta", "text": "It depends."},
            {"type": "answer_reset", "reason": "unfinished"},
            {
                "type": "round_degraded",
                "round": 1,
                "reason": "answer_unfinished",
                "detail": "The model did not say that its answer is complete.",
            },
            {"type": "round_started", "round": 2},
            {"type": "answer_delta", "text": "It depends."},
            {"type": "answer_finished", "text": "It depends."},
            {
                "type": "run_finished",
                "outcome": "answered",
                "reason": "same_text_twice",
                "detail": "The model gave the same unfinished text twice; it stands as the answer.",
                "answer": "It depends.",
            },
        ]
    )


async def test_stalled_with_another_text() -> None:
    turns = [say("It depends.", finish="other"), say("It varies.", finish="other")]
    with ScriptedModel(turns) as model:
        events = await events_of(a_loop(model), a_run())
    assert told(events)[-3:] == snapshot(
        [
            {
                "type": "round_degraded",
                "round": 2,
                "reason": "answer_unfinished",
                "detail": "The model did not say that its answer is complete.",
            },
            {"type": "answer_finished", "text": "It varies."},
            {
                "type": "run_finished",
                "outcome": "answered",
                "reason": "natural_stop",
                "detail": "The model did not say that its answer is complete.",
                "answer": "It varies.",
            },
        ]
    )


async def test_repeated_call() -> None:
    search = FakeTool(answer=FOUND)
    again = calls(call("search", queries=["notice"]))
    with ScriptedModel([again, again, again, say("Thirty days.")]) as model:
        events = await events_of(a_loop(model, search.tool()), a_run())
    assert len(search.calls) == 2
    assert told(events)[-4:] == snapshot(
        [
            {
                "type": "round_degraded",
                "round": 3,
                "reason": "answer_from_results",
                "detail": "The answer was written from the results found so far. The model asked for search with the same arguments 3 times and was stopped.",
            },
            {"type": "answer_delta", "text": "Thirty days."},
            {"type": "answer_finished", "text": "Thirty days."},
            {
                "type": "run_finished",
                "outcome": "limit_reached",
                "reason": "repeated_call",
                "detail": "The model asked for search with the same arguments 3 times and was stopped.",
                "answer": "Thirty days.",
            },
        ]
    )


async def test_user_cancel_keeps_the_partial_answer() -> None:
    pause, token = Pause(), CancelToken()
    events = []
    model = ScriptedModel([[ChatChunk(text="The first half"), pause]])
    async for event in a_loop(model).run(a_run(), cancel=token):
        events.append(event)
        if event.type == "answer_delta":
            token.cancel()
    assert told(events)[-2:] == snapshot(
        [
            {"type": "answer_finished", "text": "The first half"},
            {
                "type": "run_finished",
                "outcome": "stopped",
                "reason": "cancelled",
                "detail": "Stopped on request.",
                "answer": "The first half",
            },
        ]
    )


async def test_user_cancel_keeps_what_tools_found() -> None:
    search, slow = FakeTool(answer=FOUND), FakeTool("slow", pause=Pause())
    token, events = CancelToken(), []
    model = ScriptedModel([calls(call("search"), call("slow", index=1))])
    async for event in a_loop(model, search.tool(), slow.tool()).run(a_run(), cancel=token):
        events.append(event)
        if event.type == "tool_call_finished" and event.ok:
            token.cancel()
    assert told(events)[-4:] == snapshot(
        [
            {
                "type": "tool_call_finished",
                "round": 1,
                "call_id": "slow",
                "name": "slow",
                "ok": False,
                "output": """\
The run was stopped before this call ended.
[Read the error above and try a different way.]\
""",
                "summary": "The run was stopped before this call ended.",
                "duration_ms": 0,
                "error_code": "cancelled",
            },
            {
                "type": "answer_delta",
                "text": """\
No answer was finished. What was found until then:

- 1 passage about notice\
""",
            },
            {
                "type": "answer_finished",
                "text": """\
No answer was finished. What was found until then:

- 1 passage about notice\
""",
            },
            {
                "type": "run_finished",
                "outcome": "stopped",
                "reason": "cancelled",
                "detail": "Stopped on request.",
                "answer": """\
No answer was finished. What was found until then:

- 1 passage about notice\
""",
            },
        ]
    )


async def test_user_cancel_of_a_resumed_run_tells_the_end_of_its_open_calls() -> None:
    search, state, token = FakeTool(answer=FOUND), a_run(), CancelToken()
    model = ScriptedModel([calls(call("search"))])
    async for event in a_loop(model, search.tool()).run(state):
        if event.type == "tool_call_started":
            break
    token.cancel()
    events = await events_of(a_loop(model, search.tool()), state, cancel=token)
    assert [event["type"] for event in told(events)] == ["tool_call_finished", "run_finished"]
    assert told(events)[0]["error_code"] == "cancelled"


async def test_user_cancel_while_a_retry_waits() -> None:
    token = CancelToken()

    async def sleep(seconds: float) -> None:
        token.cancel()
        await Pause().go_on.wait()

    with ScriptedModel([[BUSY]]) as model:
        events = await events_of(a_loop(model, sleep=sleep), a_run(), cancel=token)
    assert last(events) == snapshot(
        {
            "type": "run_finished",
            "outcome": "stopped",
            "reason": "cancelled",
            "detail": "Stopped on request.",
            "answer": "",
        }
    )


async def test_time_out_of_the_run_answers_from_results() -> None:
    search = FakeTool(answer=FOUND)
    turns = [calls(call("search")), [Pause()], say("Thirty days.")]
    with ScriptedModel(turns) as model:
        loop = a_loop(model, search.tool(), limits=RunLimits(run_timeout_seconds=0.05))
        events = await events_of(loop, a_run())
    assert told(events)[-4:] == snapshot(
        [
            {
                "type": "round_degraded",
                "round": 2,
                "reason": "answer_from_results",
                "detail": "The answer was written from the results found so far. The time limit of 0.05 s was reached.",
            },
            {"type": "answer_delta", "text": "Thirty days."},
            {"type": "answer_finished", "text": "Thirty days."},
            {
                "type": "run_finished",
                "outcome": "limit_reached",
                "reason": "run_timeout",
                "detail": "The time limit of 0.05 s was reached.",
                "answer": "Thirty days.",
            },
        ]
    )


async def test_unrecoverable_model_failure_without_results() -> None:
    with ScriptedModel([[BUSY], [BUSY], [BUSY]]) as model:
        events = await events_of(a_loop(model), a_run())
    assert told(events) == snapshot(
        [
            {"type": "run_started", "question": "What is it?", "mode": "react"},
            {"type": "round_started", "round": 1},
            {
                "type": "model_retry",
                "round": 1,
                "attempt": 1,
                "wait_seconds": 1.0,
                "reason": "The model is overloaded.",
            },
            {
                "type": "model_retry",
                "round": 1,
                "attempt": 2,
                "wait_seconds": 2.0,
                "reason": "The model is overloaded.",
            },
            {
                "type": "run_finished",
                "outcome": "failed",
                "reason": "model_failed",
                "detail": "The model failed: The model is overloaded.",
                "answer": "",
            },
        ]
    )


async def test_unrecoverable_model_failure_with_results() -> None:
    search = FakeTool(answer=FOUND)
    turns = [calls(call("search")), [BUSY], say("Thirty days.")]
    with ScriptedModel(turns) as model:
        events = await events_of(a_loop(model, search.tool(), limits=NO_RETRY), a_run())
    assert told(events)[-4:] == snapshot(
        [
            {
                "type": "round_degraded",
                "round": 2,
                "reason": "answer_from_results",
                "detail": "The answer was written from the results found so far. The model failed: The model is overloaded.",
            },
            {"type": "answer_delta", "text": "Thirty days."},
            {"type": "answer_finished", "text": "Thirty days."},
            {
                "type": "run_finished",
                "outcome": "fallback",
                "reason": "model_failed",
                "detail": "The model failed: The model is overloaded.",
                "answer": "Thirty days.",
            },
        ]
    )
    assert "Notice: 30 days" in model.asked[2][-1].content
    assert model.options[2].thinking is False


async def test_unrecoverable_model_failure_also_of_the_synthesis() -> None:
    search = FakeTool(answer=FOUND)
    with ScriptedModel([calls(call("search")), [BUSY], [BUSY]]) as model:
        events = await events_of(a_loop(model, search.tool(), limits=NO_RETRY), a_run())
    assert told(events)[-3:] == snapshot(
        [
            {
                "type": "answer_delta",
                "text": """\
No answer was finished. What was found until then:

- 1 passage about notice\
""",
            },
            {
                "type": "answer_finished",
                "text": """\
No answer was finished. What was found until then:

- 1 passage about notice\
""",
            },
            {
                "type": "run_finished",
                "outcome": "fallback",
                "reason": "model_failed",
                "detail": "The model failed: The model is overloaded.",
                "answer": """\
No answer was finished. What was found until then:

- 1 passage about notice\
""",
            },
        ]
    )


async def test_unrecoverable_model_failure_keeps_the_partial_answer() -> None:
    turn = [ChatChunk(text="The first half"), ModelError("bad_response", "It broke off.")]
    with ScriptedModel([turn]) as model:
        events = await events_of(a_loop(model), a_run())
    assert last(events) == snapshot(
        {
            "type": "run_finished",
            "outcome": "failed",
            "reason": "model_failed",
            "detail": "The model failed: It broke off.",
            "answer": "The first half",
        }
    )


async def test_a_refused_key_asks_for_no_synthesis() -> None:
    search = FakeTool(answer=FOUND)
    turns = [calls(call("search")), [ModelError("auth", "The key is not accepted.")]]
    with ScriptedModel(turns) as model:
        events = await events_of(a_loop(model, search.tool()), a_run())
    assert last(events) == snapshot(
        {
            "type": "run_finished",
            "outcome": "fallback",
            "reason": "model_failed",
            "detail": "The model failed: The key is not accepted.",
            "answer": """\
No answer was finished. What was found until then:

- 1 passage about notice\
""",
        }
    )


async def test_maximum_rounds() -> None:
    search = FakeTool(answer=FOUND)
    turns = [calls(call("search", n=1)), calls(call("search", n=2)), say("Thirty days.")]
    with ScriptedModel(turns) as model:
        events = await events_of(
            a_loop(model, search.tool(), limits=RunLimits(max_rounds=2)), a_run()
        )
    assert told(events)[-4:] == snapshot(
        [
            {
                "type": "round_degraded",
                "round": 2,
                "reason": "answer_from_results",
                "detail": "The answer was written from the results found so far. The limit of 2 rounds was reached.",
            },
            {"type": "answer_delta", "text": "Thirty days."},
            {"type": "answer_finished", "text": "Thirty days."},
            {
                "type": "run_finished",
                "outcome": "limit_reached",
                "reason": "max_rounds",
                "detail": "The limit of 2 rounds was reached.",
                "answer": "Thirty days.",
            },
        ]
    )
    assert model.options[2].thinking is False
    assert model.tools[2] == ()


async def test_output_limit() -> None:
    with ScriptedModel([say("The first half", finish="length")]) as model:
        events = await events_of(a_loop(model), a_run())
    assert told(events)[-3:] == snapshot(
        [
            {
                "type": "round_degraded",
                "round": 1,
                "reason": "answer_cut",
                "detail": "The answer was cut at the model's output limit.",
            },
            {"type": "answer_finished", "text": "The first half"},
            {
                "type": "run_finished",
                "outcome": "answered",
                "reason": "output_limit",
                "detail": "The answer was cut at the model's output limit.",
                "answer": "The first half",
            },
        ]
    )


async def test_no_finish_reason() -> None:
    with ScriptedModel([say("Thirty days.", finish=None)]) as model:
        events = await events_of(a_loop(model), a_run())
    assert told(events)[-3:] == snapshot(
        [
            {
                "type": "round_degraded",
                "round": 1,
                "reason": "answer_unfinished",
                "detail": "The model did not say that its answer is complete.",
            },
            {"type": "answer_finished", "text": "Thirty days."},
            {
                "type": "run_finished",
                "outcome": "answered",
                "reason": "natural_stop",
                "detail": "The model did not say that its answer is complete.",
                "answer": "Thirty days.",
            },
        ]
    )
