"""Runs that runs began: who stands below whom, and stopping them with their parent."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from uuid import UUID

from django.db import transaction

from agents.approvals.applying import wake_when_decided
from agents.constants import OPEN_RUN_STATES, RunState
from agents.engine.limits import RunLimits
from agents.models import AgentRun
from agents.runs.store import finish_unstarted

MAX_DEPTH = 3
"""How many runs may stand above one; deeper ones are not begun, so a circle of agents ends."""
_NAMESPACE = uuid.UUID("5f0c8a52-0c1e-4b0e-9d53-6d0f5c1b7a10")


def child_id_of(parent_id: UUID, call_id: str) -> UUID:
    """Return the id of the run that a call begins: known before it exists, the same each time."""
    return uuid.uuid5(_NAMESPACE, f"{parent_id}/{call_id}")


def descendants_of(run_ids: Iterable[UUID]) -> list[AgentRun]:
    """Return all runs below these, those next to them first."""
    found: list[AgentRun] = []
    level = list(run_ids)
    while level:
        rows = list(AgentRun.objects.filter(parent_id__in=level).order_by("created_at", "pk"))
        found += rows
        level = [row.pk for row in rows]
    return found


def stop_descendants(run_id: UUID, *, detail: str) -> int:
    """Ask every open run below to stop; what nobody works on ends at once. Return how many."""
    rows = [row for row in descendants_of([run_id]) if row.state in OPEN_RUN_STATES]
    for row in rows:
        with transaction.atomic():
            run = AgentRun.objects.select_for_update().get(pk=row.pk)
            if run.state == RunState.QUEUED and run.last_seq == 0:
                finish_unstarted(run, outcome="stopped", reason="cancelled", detail=detail)
            elif run.state in OPEN_RUN_STATES:
                run.cancel_requested = True
                run.save(update_fields=["cancel_requested"])
                wake_when_decided(run)
    return len(rows)


def inherited_limits(run: AgentRun, limits: RunLimits) -> RunLimits:
    """Return a run's limits, cut down to what its parent's agent may use."""
    parent = run.parent
    if parent is None or parent.agent is None:
        return limits
    rounds = min(limits.max_rounds, parent.agent.settings.max_iterations)
    return limits.model_copy(update={"max_rounds": rounds})


def top_conversation(run_id: UUID) -> UUID:
    """Return the conversation of the person: that of the run at the top of a family."""
    run = AgentRun.objects.select_related("parent").get(pk=run_id)
    while run.parent is not None:
        run = run.parent
    return run.conversation_id
