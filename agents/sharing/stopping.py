"""Stops runs of shared agents whose share is over.

It is asked before each call of the model and by each tool anyway; here a run that is under way ends
within a second of the change, and one that waits for a worker or for a person ends, too.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Q

from accounts.shares import kind_of, opened_to
from agents.approvals.applying import wake_when_decided
from agents.constants import OPEN_RUN_STATES, RunState
from agents.models import AgentRun
from agents.runs.store import finish_unstarted
from agents.sharing.running import no_longer_shared
from core.tenancy import space_scope, unscoped


def stop_closed_runs(space_id: int) -> int:
    """Stop the open runs of agents that the space shares, or asks, and that are closed now."""
    with unscoped(reason="whoever shares an agent ends the runs of those who ask it"):
        rows = AgentRun.objects.filter(
            Q(shared_space_id=space_id) | Q(space_id=space_id),
            shared_agent_id__isnull=False,
            state__in=OPEN_RUN_STATES,
        )
        open_runs = list(rows.values_list("pk", "space_id", "shared_agent_id"))
    closed = [
        (run_id, asking_id)
        for run_id, asking_id, agent_id in open_runs
        if agent_id and not _is_open_to(asking_id, agent_id)
    ]
    for run_id, asking_id in closed:
        with space_scope(asking_id):
            stop_run_closed(run_id)
    return len(closed)


def stop_run_closed(run_id: UUID) -> None:
    """Stop a run of the current space, and say that its agent is no longer shared."""
    reason = no_longer_shared()
    with transaction.atomic():
        run = AgentRun.objects.select_for_update().get(pk=run_id)
        if run.state not in OPEN_RUN_STATES:
            return
        if run.state == RunState.QUEUED and run.last_seq == 0:
            finish_unstarted(run, outcome="stopped", reason="cancelled", detail=reason)
            return
        run.cancel_requested, run.stop_reason = True, reason[:300]
        run.save(update_fields=["cancel_requested", "stop_reason"])
        wake_when_decided(run)


def _is_open_to(space_id: int, agent_id: UUID) -> bool:
    return bool(opened_to(space_id, kind_of("agent"), agent=agent_id))
