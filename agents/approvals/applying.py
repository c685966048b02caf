"""The one way of decisions into runs: a worker that takes a run writes them into the loop's state.

Whoever decides only writes the approval's row and, when nothing of the run is left open, gives the
run back to the workers. So it does not matter whether the run already sleeps, is about to, or was
taken over meanwhile. Every function here needs the run's row lock.
"""

from __future__ import annotations

import logging

from agents.constants import DecisionState, RunState
from agents.engine.calls import Decision, PendingApproval
from agents.engine.state import RunState as LoopState
from agents.jobs import RUN_AGENT
from agents.models import AgentRun, Approval
from agents.runs.blobs import pack_state, unpack_state
from core.jobs.enqueue import enqueue

logger = logging.getLogger(__name__)


def apply_decisions(run: AgentRun) -> bool:
    """Write what was decided since into the state of a run that a worker takes; say if it changed.

    The row is not saved.
    """
    waiting = (run.loop_state or {}).get("approvals") or {}
    if all(each.get("decision") for each in waiting.values()):
        return False
    state = unpack_state(run.loop_state)
    if not _decide_all(run, state):
        return False
    run.loop_state = pack_state(run.space_id, state)
    return True


def _decide_all(run: AgentRun, state: LoopState) -> bool:
    """Return whether anything was decided."""
    rows = {
        row.call_id: row for row in Approval.objects.filter(run=run).order_by("requested_seq")
    }  # of a call that was asked about twice, the last one counts
    changed = False
    for pending in state.waiting:
        if pending.call_id not in state.requested_ids:
            continue
        row = rows.get(pending.call_id)
        if row is not None and row.decision == DecisionState.OPEN:
            continue
        state.decide(pending.call_id, _decision_of(row, pending))
        changed = True
    return changed


def _decision_of(row: Approval | None, pending: PendingApproval) -> Decision:
    """Return the row's decision; a row that is missing or fits another call refuses this one."""
    if row is None or row.decision_hash != pending.decision_hash:
        logger.error("no decision fits call %s; it is refused", pending.call_id)
        return Decision(resolution="expired", decision_hash=pending.decision_hash)
    if row.decision == DecisionState.CANCELLED:
        return Decision(resolution="expired", decision_hash=pending.decision_hash)
    return Decision.model_validate(
        {
            "resolution": row.decision,
            "decision_hash": row.decision_hash,
            "arguments": row.edited_arguments,
            "comment": row.comment,
        }
    )


def wake_when_decided(run: AgentRun) -> bool:
    """Give a sleeping run back to the workers if nothing of it is open; say whether it was."""
    if run.state != RunState.WAITING_APPROVAL:
        return False
    is_open = Approval.objects.filter(run=run, decision=DecisionState.OPEN).exists()
    if is_open and not run.cancel_requested:
        return False
    run.state = RunState.QUEUED
    job_id = enqueue(RUN_AGENT, dedupe_key=str(run.pk), run_id=str(run.pk))
    run.job_id = job_id or run.job_id
    run.save(update_fields=["state", "job_id"])
    return True
