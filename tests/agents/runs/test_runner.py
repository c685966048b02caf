"""Runs in a worker: events before they are shown, leases, take-over, stop, permission."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.models import Membership
from accounts.services.members import leave_space
from agents.constants import CallState, RunState
from agents.engine.testing import ScriptedModel, say
from agents.models import AgentRun, Message, RunEvent, ToolCall
from agents.runs.fold import fold_answer
from agents.runs.keeper import resume_lost_runs
from agents.runs.store import (
    TAKES_WITHOUT_PROGRESS,
    TIME_WITHOUT_PROGRESS,
    Lease,
    LeaseLost,
    keep_lease,
    record,
    take_lease,
)
from agents.services.conversations import stop_run
from core.errors import Conflict, Invalid
from core.jobs.housekeeping import return_lost_jobs
from core.jobs.work import claim
from core.models import BackgroundJob, JobState
from providers.contracts.errors import ModelError
from tests.agents.runs.conftest import Script, carry_out, put, seq_is_whole, types_of
from tests.personas import Persona

Play = Callable[[Script], ScriptedModel]


def test_answer_is_stored_with_its_events_and_without_a_gap(asker: Persona, script: Play) -> None:
    script([say("Forty", "-two.")])
    run = put(asker, "What is the answer?")
    carry_out()
    run.refresh_from_db()
    assert (run.state, run.outcome) == (RunState.DONE, "answered")
    assert run.answer is not None
    assert run.answer.text == "Forty-two."
    assert types_of(run)[0] == "run_started"
    assert types_of(run)[-1] == "run_finished"
    assert seq_is_whole(run)


def test_history_goes_along_without_old_markers(asker: Persona, script: Play) -> None:
    model = script([say("Thirty days [1]."), say("Yes.")])
    first = put(asker, "How long?")
    carry_out()
    Message.objects.filter(answered_run=first).update(text="Thirty days [1].")
    second = ask_again(asker, first, "Sure?")
    carry_out()
    assert [(m.role, m.content.partition("\n\n<")[0]) for m in model.asked[1][1:]] == [
        ("user", "How long?"),
        ("assistant", "Thirty days."),
        ("user", "Sure?"),
    ]
    assert second.conversation_id == first.conversation_id


def ask_again(asker: Persona, run: AgentRun, text: str) -> AgentRun:
    from agents.services.conversations import Question, ask

    return ask(asker.actor, Question(text=text), conversation_id=run.conversation_id)


def test_model_that_is_down_ends_the_run_with_its_words(asker: Persona, script: Play) -> None:
    script([[ModelError("auth", "The key was refused.")]])
    run = put(asker, "Anybody there?")
    carry_out()
    run.refresh_from_db()
    assert run.state == RunState.FAILED
    assert "The key was refused." in run.reason
    assert types_of(run).count("run_finished") == 1


def test_model_that_answers_nothing_ends_with_a_stated_reason(asker: Persona, script: Play) -> None:
    script([say(""), say(""), say("")])
    run = put(asker, "Anybody there?")
    carry_out()
    run.refresh_from_db()
    assert run.outcome == "fallback"
    assert "gave no answer" in run.reason


def test_worker_that_lost_its_lease_can_write_nothing(asker: Persona, script: Play) -> None:
    run = put(asker, "Who?")
    taken = take_lease(run.pk)
    assert taken is not None
    old = taken[0]
    assert take_lease(run.pk) is not None
    with pytest.raises(LeaseLost):
        record(old, [], None)
    with pytest.raises(LeaseLost):
        keep_lease(old)
    assert types_of(run) == []


def test_run_of_a_dead_worker_goes_on_where_it_was(asker: Persona, script: Play) -> None:
    """The first worker dies in mid-answer: its lease is taken, and nothing stands twice."""
    from agents.engine.events import AgentEvent, AnswerDelta, RoundStarted, RunStarted
    from agents.engine.state import RunState as LoopState
    from agents.runs.prepare import prepare
    from agents.runs.store import Recorded

    script([say("The whole answer.")])
    run = put(asker, "Why?")
    taken = take_lease(run.pk)
    assert taken is not None
    lease, row = taken
    state: LoopState = prepare(lease, row).state
    state.round, state.round_open, state.next_seq = 1, True, 4
    events: list[AgentEvent] = [
        RunStarted(seq=1, question="Why?", mode="react"),
        RoundStarted(seq=2, round=1),
        AnswerDelta(seq=3, text="The who"),
    ]
    record(lease, [Recorded(event=event, seq_to=event.seq) for event in events], state)
    carry_out()
    run.refresh_from_db()
    assert run.state == RunState.DONE
    assert run.answer is not None
    assert run.answer.text == "The whole answer."
    assert types_of(run).count("run_started") == 1
    assert types_of(run)[3] == "answer_reset"
    assert seq_is_whole(run)
    assert Message.objects.filter(answered_run=run).count() == 1


def test_run_whose_job_is_gone_gets_a_new_one(
    asker: Persona, script: Play, settings: object
) -> None:
    run = put(asker, "Why?")
    BackgroundJob.objects.all().delete()
    AgentRun.objects.filter(pk=run.pk).update(created_at="2020-01-01T00:00:00Z")
    assert resume_lost_runs() == 1
    assert resume_lost_runs() == 0
    assert BackgroundJob.objects.filter(name="agents.run_agent", state=JobState.QUEUED).count() == 1


def lose_workers(run: AgentRun, times: int) -> None:
    """Let workers take the run and die at once."""
    for _ in range(times):
        assert claim("runs") is not None
        assert take_lease(run.pk) is not None
        BackgroundJob.objects.update(heartbeat_at="2020-01-01T00:00:00Z")
        return_lost_jobs()


def test_run_on_which_workers_keep_dying_says_so_to_the_person(asker: Persona) -> None:
    run = put(asker, "Why?")
    lose_workers(run, TAKES_WITHOUT_PROGRESS)
    AgentRun.objects.update(progress_at=timezone.now() - TIME_WITHOUT_PROGRESS)
    carry_out()
    run.refresh_from_db()
    assert run.state == RunState.FAILED
    assert "ended 8 times at the same place" in run.reason
    assert types_of(run) == ["run_finished"]


def test_run_outlives_workers_that_something_else_ends(asker: Persona, script: Play) -> None:
    script([say("At last.")])
    run = put(asker, "Why?")
    lose_workers(run, TAKES_WITHOUT_PROGRESS + 2)
    carry_out()
    run.refresh_from_db()
    assert run.state == RunState.DONE


def test_run_that_gets_further_outlives_any_number_of_workers(asker: Persona, script: Play) -> None:
    script([say("At last.")])
    run = put(asker, "Why?")
    for call in ("a", "b"):
        lose_workers(run, TAKES_WITHOUT_PROGRESS - 1)
        AgentRun.objects.update(progress_at=timezone.now() - TIME_WITHOUT_PROGRESS)
        ToolCall.objects.create(
            space_id=run.space_id, run=run, call_id=call, name="look", state=CallState.COMPLETED
        )
    carry_out()
    run.refresh_from_db()
    assert run.state == RunState.DONE


def test_stopping_a_waiting_run_ends_it_at_once(asker: Persona) -> None:
    run = put(asker, "Why?")
    assert stop_run(asker.actor, run_id=run.pk).state == RunState.CANCELLED
    assert types_of(run) == ["run_finished"]
    carry_out()
    assert types_of(run) == ["run_finished"]


def test_who_leaves_the_space_stops_what_still_runs(asker: Persona) -> None:
    waiting, running = put(asker, "Why?"), put(asker, "And why else?")
    assert take_lease(running.pk) is not None
    leave_space(asker.user, space_id=asker.space.pk)
    waiting.refresh_from_db()
    running.refresh_from_db()
    assert waiting.state == RunState.CANCELLED
    assert "left the space" in waiting.reason
    assert running.cancel_requested


def test_stop_keeps_what_was_said_so_far(asker: Persona, script: Play) -> None:
    script([say("never heard")])
    run = put(asker, "Why?")
    AgentRun.objects.filter(pk=run.pk).update(cancel_requested=True)
    carry_out()
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    assert types_of(run)[-1] == "run_finished"


def test_person_who_left_the_space_gets_no_answer(asker: Persona, script: Play) -> None:
    run = put(asker, "Why?")
    Membership.objects.filter(user=asker.user).delete()
    carry_out()
    run.refresh_from_db()
    assert run.state == RunState.FAILED
    assert run.answer is None


def test_question_sent_twice_is_asked_once(asker: Persona) -> None:
    first = put(asker, "Why?", client_id="abc")
    from agents.services.conversations import Question, ask

    again = ask(
        asker.actor,
        Question(text="Why?", client_id="abc"),
        conversation_id=first.conversation_id,
    )
    assert again.pk == first.pk
    assert AgentRun.objects.count() == 1


def test_second_question_waits_for_the_first_answer(asker: Persona) -> None:
    first = put(asker, "Why?")
    with pytest.raises(Conflict, match="still being answered"):
        ask_again(asker, first, "And?")


@pytest.mark.parametrize(
    ("text", "says"),
    [("  ", "Write a question"), ("x" * 100_000, "100,000 characters"), ("\x00", "Write a")],
    ids=["blank", "100,000 characters", "only NUL"],
)
def test_question_that_cannot_be_asked_is_refused_with_words(
    asker: Persona, text: str, says: str
) -> None:
    with pytest.raises(Invalid, match=says):
        put(asker, text)
    assert AgentRun.objects.count() == 0


def test_nul_in_an_answer_does_not_lose_it(asker: Persona, script: Play) -> None:
    script([say("before\x00after")])
    run = put(asker, "Why?")
    carry_out()
    run.refresh_from_db()
    assert run.answer is not None
    assert run.answer.text == "beforeafter"


def test_folding_joins_the_deltas_and_leaves_no_gap(asker: Persona, script: Play) -> None:
    script([say(*(f"word{n} " for n in range(30)))])
    run = put(asker, "Why?")
    carry_out()
    fold_answer(run.pk)
    assert seq_is_whole(run)
    assert types_of(run).count("answer_delta") == 1
    row = RunEvent.objects.get(run=run, type="answer_delta")
    assert row.data["text"].split() == [f"word{n}" for n in range(30)]
    assert fold_answer(run.pk) == 0


def test_lease_names_the_run_it_is_for(asker: Persona) -> None:
    run = put(asker, "Why?")
    taken = take_lease(run.pk)
    assert taken is not None
    assert taken[0] == Lease(run_id=run.pk, conversation_id=run.conversation_id, epoch=1)
