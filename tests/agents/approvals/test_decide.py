"""Decisions: once, by who may, for the call that was shown; nothing is lost and nothing waits on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from accounts.models import AuditEvent, Membership
from agents.approvals.decide import decide, decide_alike
from agents.approvals.spaces import change_space_rules
from agents.constants import DecisionState, RunState
from agents.engine.testing import FakeTool, ScriptedModel, call, calls, say
from agents.models import Agent, AgentRun, Approval, RunEvent, ToolCall
from agents.runs import store
from agents.services.conversations import Question, ask, stop_run
from core.errors import AccessDenied, Conflict, Gone, Invalid, NotFound, Refused
from core.jobs.work import work
from core.models import BackgroundJob, JobState
from tests.agents.approvals.conftest import ask_and_wait, end_of
from tests.personas import Persona

Play = Callable[..., ScriptedModel]


def wish(row: Approval, resolution: str = "approved", **more: Any) -> dict[str, Any]:
    return {
        "approval_id": row.pk,
        "decision_hash": row.decision_hash,
        "resolution": resolution,
        **more,
    }


def refusals(action: str = "approval.decide") -> int:
    return AuditEvent.objects.filter(action=action, outcome="refused").count()


def test_request_stands_in_a_row_and_the_run_sleeps(waiting: Approval, send: FakeTool) -> None:
    assert send.calls == []
    assert (waiting.tool_name, waiting.arguments, waiting.title) == (
        "send",
        {"to": "ada"},
        "Send it to ada",
    )
    assert 86_000 < (waiting.due_at - waiting.created_at).total_seconds() <= 86_400


def test_approved_call_runs_once_and_the_answer_follows(
    asker: Persona, waiting: Approval, send: FakeTool
) -> None:
    decide(asker.actor, **wish(waiting))
    run = end_of(waiting)
    assert (run.state, send.calls) == (RunState.DONE, [{"to": "ada"}])
    assert run.answer is not None
    assert run.answer.text == "Done."
    waiting.refresh_from_db()
    assert waiting.decision == DecisionState.APPROVED
    assert waiting.applied_at is not None
    assert waiting.decided_by == asker.user
    assert AuditEvent.objects.filter(action="approval.decide", outcome="done").count() == 1


def test_rejection_and_its_reason_are_a_result_for_the_model(
    asker: Persona, play: Play, send: FakeTool
) -> None:
    model = play(calls(call("send", to="ada")), say("I did not."))
    row = ask_and_wait(asker)
    decide(asker.actor, **wish(row, "rejected", comment="Not to Ada."))
    assert end_of(row).state == RunState.DONE
    assert send.calls == []
    told = model.asked[1][-1].content
    assert "rejected" in told
    assert "Not to Ada." in told


def test_edited_arguments_are_cast_and_run(
    asker: Persona, waiting: Approval, send: FakeTool
) -> None:
    decide(asker.actor, **wish(waiting, "edited", arguments={"to": "bo", "copies": "2"}))
    end_of(waiting)
    assert send.calls == [{"to": "bo", "copies": 2}]


def test_edited_arguments_that_do_not_fit_are_refused_by_name(
    asker: Persona, waiting: Approval, send: FakeTool
) -> None:
    with pytest.raises(Invalid, match="copies"):
        decide(asker.actor, **wish(waiting, "edited", arguments={"to": "bo", "copies": 9}))
    waiting.refresh_from_db()
    assert waiting.decision == DecisionState.OPEN
    assert refusals() == 1


def test_double_click_returns_the_first_outcome(asker: Persona, waiting: Approval) -> None:
    first = decide(asker.actor, **wish(waiting))
    again = decide(asker.actor, **wish(waiting))
    assert again.decided_at == first.decided_at
    assert BackgroundJob.objects.filter(state=JobState.QUEUED, name="agents.run_agent").count() == 1


@pytest.mark.parametrize("resolution", ["approved", "rejected"])
def test_second_person_reads_who_decided_what(
    asker: Persona, adam: Persona, waiting: Approval, resolution: str
) -> None:
    decide(adam.actor, **wish(waiting))
    with pytest.raises(Conflict, match="Adam approved this call already"):
        decide(asker.actor, **wish(waiting, resolution))
    assert refusals() == 1


def test_decision_replayed_for_another_call_is_refused(asker: Persona, play: Play) -> None:
    play(calls(call("send", to="ada")), calls(call("send", to="eve")), say("Done."))
    first = ask_and_wait(asker)
    decide(asker.actor, **wish(first))
    assert work("runs")
    second = Approval.objects.get(run_id=first.run_id, decision=DecisionState.OPEN)
    with pytest.raises(Refused, match="another call"):
        decide(asker.actor, **{**wish(second), "decision_hash": first.decision_hash})
    assert refusals() == 1


@pytest.mark.parametrize("name", ["mallory", "victor"])
def test_who_sees_nothing_of_it_finds_nothing(
    waiting: Approval, name: str, mallory: Persona, victor: Persona
) -> None:
    persona = {"mallory": mallory, "victor": victor}[name]
    with pytest.raises(NotFound):
        decide(persona.actor, **wish(waiting))


def test_unknown_request_is_not_found(asker: Persona) -> None:
    with pytest.raises(NotFound):
        decide(asker.actor, approval_id=uuid4(), decision_hash="", resolution="approved")


def set_deciders(adam: Persona, deciders: str, *named: Persona) -> None:
    change_space_rules(
        adam.actor,
        deciders=deciders,
        named_ids=[each.user.pk for each in named],
        timeout_seconds=3600,
        ask_for_high_risk=True,
    )


def test_four_eyes_keep_the_asker_from_deciding(
    asker: Persona, adam: Persona, waiting: Approval
) -> None:
    set_deciders(adam, "others")
    with pytest.raises(AccessDenied):
        decide(asker.actor, **wish(waiting))
    assert refusals() == 1
    assert decide(adam.actor, **wish(waiting)).decision == DecisionState.APPROVED


def test_named_person_decides(
    asker: Persona, adam: Persona, victor: Persona, waiting: Approval
) -> None:
    set_deciders(adam, "person", victor)
    with pytest.raises(NotFound):
        decide(adam.actor, **wish(waiting))
    assert decide(victor.actor, **wish(waiting)).decided_by == victor.user


def test_due_request_cannot_be_decided(asker: Persona, waiting: Approval) -> None:
    Approval.objects.update(due_at="2020-01-01T00:00:00Z")
    with pytest.raises(Gone, match="time"):
        decide(asker.actor, **wish(waiting))


def test_all_calls_of_a_round_are_decided_before_it_goes_on(
    asker: Persona, play: Play, send: FakeTool
) -> None:
    both = calls(call("send", call_id="a", to="ada"), call("send", call_id="b", index=1, to="bo"))
    play(both, say("Done."))
    first = ask_and_wait(asker)
    second = Approval.objects.get(run_id=first.run_id, call_id="b")
    decide(asker.actor, **wish(second, "rejected"))
    assert not work("runs")
    decide(asker.actor, **wish(first))
    assert end_of(first).state == RunState.DONE
    assert send.calls == [{"to": "ada"}]


def test_decision_before_the_worker_sleeps_is_not_lost(
    asker: Persona, play: Play, send: FakeTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    play()
    run = ask(asker.actor, Question(text="Send it."))
    from agents.runs import runner

    def decided_first(lease: store.Lease) -> None:
        row = Approval.objects.get(run_id=run.pk)
        assert AgentRun.objects.get(pk=run.pk).state == RunState.RUNNING
        decide(asker.actor, **wish(row))
        store.suspend(lease)

    monkeypatch.setattr(runner, "suspend", decided_first)
    assert work("runs")
    run.refresh_from_db()
    assert run.state == RunState.QUEUED
    assert work("runs")
    run.refresh_from_db()
    assert (run.state, send.calls) == (RunState.DONE, [{"to": "ada"}])


def test_decision_for_a_run_whose_worker_died_before_it_slept_is_taken_up(
    asker: Persona, play: Play, send: FakeTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    play()
    run = ask(asker.actor, Question(text="Send it."))
    from agents.runs import runner

    with monkeypatch.context() as patch:
        patch.setattr(runner, "suspend", lambda lease: None)
        assert work("runs")
    row = Approval.objects.get(run_id=run.pk)
    decide(asker.actor, **wish(row))
    BackgroundJob.objects.filter(name="agents.run_agent").update(state=JobState.QUEUED)
    assert end_of(row).state == RunState.DONE
    assert send.calls == [{"to": "ada"}]


def test_stopping_a_sleeping_run_ends_it_and_closes_the_request(
    asker: Persona, waiting: Approval, send: FakeTool
) -> None:
    stop_run(asker.actor, run_id=waiting.run_id)
    with pytest.raises(Conflict, match="being stopped"):
        decide(asker.actor, **wish(waiting))
    run = end_of(waiting)
    waiting.refresh_from_db()
    assert (run.state, waiting.decision) == (RunState.CANCELLED, DecisionState.CANCELLED)
    assert send.calls == []
    events = list(RunEvent.objects.filter(run=run).order_by("seq"))
    assert [event.type for event in events[-2:]] == ["approval_resolved", "run_finished"]
    with pytest.raises(Conflict, match="ended before anybody decided"):
        decide(asker.actor, **wish(waiting))


def test_stopped_run_keeps_what_it_had_found(asker: Persona, play: Play) -> None:
    turn = calls(call("send", call_id="a", to="ada"))
    play(turn, calls(call("send", call_id="b", to="bo")))
    first = ask_and_wait(asker)
    decide(asker.actor, **wish(first))
    assert work("runs")
    stop_run(asker.actor, run_id=first.run_id)
    run = end_of(first)
    assert run.state == RunState.CANCELLED
    assert run.answer is not None
    assert "send done" in run.answer.text


def test_who_left_while_the_run_slept_cannot_resume_it_and_that_is_written_down(
    asker: Persona, adam: Persona, waiting: Approval, send: FakeTool
) -> None:
    Membership.objects.filter(user=asker.user).delete()
    decide(adam.actor, **wish(waiting))
    run = end_of(waiting)
    assert (run.state, send.calls) == (RunState.FAILED, [])
    assert refusals("approval.execute") == 1
    assert not ToolCall.objects.exists()


def test_permission_lost_between_taking_and_running_denies_the_call(
    asker: Persona, waiting: Approval, send: FakeTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agents.runs import runner
    from agents.runs.prepare import prepare

    def lose_it(*args: Any) -> Any:
        prepared = prepare(*args)
        Agent.objects.update(is_enabled=False)
        return prepared

    monkeypatch.setattr(runner, "prepare", lose_it)
    decide(asker.actor, **wish(waiting))
    assert end_of(waiting).state == RunState.DONE
    assert send.calls == []
    assert refusals("approval.execute") == 1


def test_tool_switched_off_while_the_run_slept_is_not_run(
    asker: Persona, waiting: Approval, send: FakeTool
) -> None:
    off = {"allowed_tools": ["send"], "approvals": [{"tool": "send", "mode": "off"}]}
    Agent.objects.update(config=off)
    decide(asker.actor, **wish(waiting))
    assert end_of(waiting).state == RunState.DONE
    assert send.calls == []


def test_like_calls_are_decided_together_and_each_stands_for_itself(
    asker: Persona, play: Play, send: FakeTool
) -> None:
    both = calls(call("send", call_id="a", to="ada"), call("send", call_id="b", index=1, to="bo"))
    play(both, say("Done."))
    first = ask_and_wait(asker)
    rows = list(Approval.objects.filter(run_id=first.run_id))
    decide(asker.actor, **wish(rows[0], "rejected"))
    hashes = [(row.pk, row.decision_hash) for row in rows]
    outcome = decide_alike(asker.actor, hashes=hashes, resolution="approved")
    assert (len(outcome.decided), len(outcome.problems)) == (1, 1)
    end_of(first)
    assert send.calls == [rows[1].arguments]


def test_risky_calls_are_not_decided_together(asker: Persona, waiting: Approval) -> None:
    Approval.objects.update(risks=["Formats a disk"])
    with pytest.raises(Invalid, match="no risks"):
        decide_alike(
            asker.actor, hashes=[(waiting.pk, waiting.decision_hash)], resolution="approved"
        )


def test_decision_that_came_too_late_to_be_used_stays_readable(
    asker: Persona, waiting: Approval, send: FakeTool
) -> None:
    decide(asker.actor, **wish(waiting))
    stop_run(asker.actor, run_id=waiting.run_id)
    assert end_of(waiting).state == RunState.CANCELLED
    waiting.refresh_from_db()
    assert (waiting.decision, waiting.applied_at) == (DecisionState.APPROVED, None)
    assert send.calls == []
