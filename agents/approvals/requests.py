"""Rows of requests, written with the events that tell of them: asked, taken up, ended."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from agents.configuration import LONGEST_APPROVAL_SECONDS
from agents.constants import DecisionState
from agents.engine.events import ApprovalRequested, ApprovalResolved, RunFinished
from agents.models import AgentRun, Approval
from agents.runs.projections import projects
from core.jsonvalues import storable, storable_text

MAX_TITLE_CHARACTERS = 400


@projects(ApprovalRequested)
def store_request(run: AgentRun, event: ApprovalRequested) -> None:
    """Write down that a person is asked, and until when."""
    seconds = min(event.timeout_seconds, LONGEST_APPROVAL_SECONDS)
    Approval.objects.create(
        space_id=run.space_id,
        run=run,
        requested_seq=event.seq,
        call_id=event.call_id,
        tool_name=event.name,
        title=storable_text(event.title)[:MAX_TITLE_CHARACTERS],
        kind=event.kind,
        reason=storable_text(event.reason),
        risks=list(event.risks),
        arguments=storable(event.arguments),
        decision_hash=event.decision_hash,
        due_at=timezone.now() + timedelta(seconds=seconds),
    )


@projects(ApprovalResolved)
def note_applied(run: AgentRun, event: ApprovalResolved) -> None:
    """Write down that the run took the decision up, or that it ended before there was one."""
    row = newest_request(run, event.call_id)
    if row is None:
        return
    if event.resolution == "cancelled":
        _cancel(row)
    else:
        row.applied_at = timezone.now()
        row.save(update_fields=["applied_at"])


@projects(RunFinished)
def close_requests(run: AgentRun, _event: RunFinished) -> None:
    """Close what is still open: nobody can decide for a run that is over."""
    for row in Approval.objects.filter(run=run, decision=DecisionState.OPEN):
        _cancel(row)


def newest_request(run: AgentRun, call_id: str) -> Approval | None:
    """Return the last request for a call; a recovery asks for the same call again."""
    rows = Approval.objects.filter(run=run, call_id=call_id)
    return rows.order_by("-requested_seq").first()


def _cancel(row: Approval) -> None:
    """Close an open row; a decision that came too late to be used stays readable."""
    if row.decision == DecisionState.OPEN:
        row.decision = DecisionState.CANCELLED
        row.decided_at = timezone.now()
        row.save(update_fields=["decision", "decided_at"])
