"""The state of a run is a value that survives storage."""

from __future__ import annotations

from agents.engine.events import AnswerDelta, AnswerReset
from agents.engine.state import RunState
from agents.engine.steps import Abort, Finish
from agents.engine.testing import FakeTool, ScriptedModel, a_loop, a_run, call, calls, say
from providers.contracts.chat import ChatMessage, ImagePart


def test_a_new_run_ends_with_the_question() -> None:
    picture = ImagePart(media_type="image/png", data_base64="AA==")
    history = [ChatMessage(role="user", content="a"), ChatMessage(role="assistant", content="b")]
    state = RunState.begin("What?", system="s", history=history, images=[picture])
    assert [message.role for message in state.messages] == ["system", "user", "assistant", "user"]
    assert state.messages[state.question_at].images == (picture,)


async def test_the_state_is_the_same_after_storage_at_every_event() -> None:
    state = a_run(runtime_context="now")
    model = ScriptedModel([calls(call("search")), say("Thirty days.")])
    search = FakeTool(answer=lambda _: state.aliases.chunk("x"))
    async for _ in a_loop(model, search.tool()).run(state):
        assert RunState.model_validate_json(state.model_dump_json()) == state


def test_deltas_behind_the_stored_state_count_as_shown() -> None:
    state = a_run()
    state.next_seq = 5
    state.catch_up(4)
    assert (state.next_seq, state.may_show_stale_answer) == (5, False)
    state.catch_up(9)
    assert (state.next_seq, state.may_show_stale_answer) == (10, True)


def test_an_answer_that_is_being_closed_is_not_stale() -> None:
    closing: list[Finish | Abort | None] = [
        None,
        Finish(outcome="answered", reason="natural_stop"),
        Abort(outcome="limit_reached", reason="max_rounds", detail="x", ask_model=True),
    ]
    state = a_run()
    stale = []
    for step in closing:
        for event in (AnswerDelta(text="x"), AnswerReset(reason="retry")):
            state.note(event)
            state.closing = step
            stale.append(state.may_show_stale_answer)
    assert stale == [True, False, False, False, True, True]
