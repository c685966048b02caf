"""Requests that nobody decides, and runs that would sleep for ever."""

from __future__ import annotations

from collections.abc import Callable

from agents.approvals.expiry import expire_due, wake_forgotten
from agents.constants import DecisionState, RunState
from agents.engine.testing import FakeTool, ScriptedModel, call, calls, say
from agents.models import AgentRun, Approval
from tests.agents.approvals.conftest import ask_and_wait, end_of
from tests.personas import Persona

LONG_AGO = "2020-01-01T00:00:00Z"


def test_due_request_expires_and_the_run_goes_on_without_it(
    asker: Persona, play: Callable[..., ScriptedModel], send: FakeTool
) -> None:
    model = play(calls(call("send", to="ada")), say("Not sent."))
    row = ask_and_wait(asker)
    assert expire_due() == 0
    Approval.objects.update(due_at=LONG_AGO)
    assert expire_due() == 1
    assert expire_due() == 0
    run = end_of(row)
    row.refresh_from_db()
    assert (run.state, row.decision, row.decided_by) == (
        RunState.DONE,
        DecisionState.EXPIRED,
        None,
    )
    assert send.calls == []
    assert "Nobody decided" in model.asked[1][-1].content


def test_run_whose_rows_were_deleted_by_hand_goes_on_and_ends(
    waiting: Approval, send: FakeTool
) -> None:
    Approval.objects.all().delete()
    assert wake_forgotten() == 1
    run = end_of(waiting)
    assert (run.state, send.calls) == (RunState.DONE, [])


def test_sleeping_run_with_an_open_request_is_left_alone(waiting: Approval) -> None:
    assert wake_forgotten() == 0
    assert AgentRun.objects.get().state == RunState.WAITING_APPROVAL
