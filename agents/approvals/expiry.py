"""What becomes of requests that nobody decides: they expire, and their runs go on without them."""

from __future__ import annotations

import logging
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.actors import system_actor
from accounts.services.audit import record_audit
from agents.approvals.applying import wake_when_decided
from agents.constants import DecisionState, RunState
from agents.models import AgentRun, Approval
from agents.runs.publish import publish_decision
from core.jobs.housekeeping import register_keeper
from core.tenancy import space_scope, unscoped

logger = logging.getLogger(__name__)
AT_ONCE = 500


def expire_due() -> int:
    """Expire what is due in all spaces; return how many requests that were."""
    with unscoped(reason="housekeeping looks for due approvals of all spaces"):
        rows = Approval.objects.filter(decision=DecisionState.OPEN, due_at__lte=timezone.now())
        due = list(rows.order_by("due_at").values_list("pk", "run_id", "space_id")[:AT_ONCE])
    expired = 0
    for approval_id, run_id, space_id in due:
        with space_scope(space_id), transaction.atomic():
            expired += _expire(approval_id, run_id)
    return expired


def _expire(approval_id: UUID, run_id: UUID) -> int:
    run = AgentRun.objects.select_for_update().filter(pk=run_id).first()
    rows = Approval.objects.select_for_update(of=("self",)).filter(
        pk=approval_id, decision=DecisionState.OPEN, due_at__lte=timezone.now()
    )
    row = rows.first()
    if run is None or row is None:  # decided, or deleted, in between
        return 0
    row.decision, row.decided_at = DecisionState.EXPIRED, timezone.now()
    row.save(update_fields=["decision", "decided_at"])
    wake_when_decided(run)
    record_audit(
        system_actor(space_id=run.space_id),
        "approval.expire",
        target=row,
        tool=row.tool_name,
        call_id=row.call_id,
        run=str(run_id),
    )
    conversation_id = run.conversation_id
    transaction.on_commit(lambda: publish_decision(conversation_id, run_id, approval_id))
    return 1


def wake_forgotten() -> int:
    """Wake runs that sleep although nothing of them is open; return how many there were.

    No way of the code leads there; rows that somebody deleted by hand do.
    """
    with unscoped(reason="housekeeping looks for sleeping runs of all spaces"):
        sleeping = AgentRun.objects.filter(state=RunState.WAITING_APPROVAL).exclude(
            approvals__decision=DecisionState.OPEN
        )
        found = list(sleeping.values_list("pk", "space_id")[:AT_ONCE])
    woken = 0
    for run_id, space_id in found:
        with space_scope(space_id), transaction.atomic():
            run = AgentRun.objects.select_for_update().filter(pk=run_id).first()
            woken += int(run is not None and wake_when_decided(run))
    return woken


def _keep() -> None:
    expire_due()
    wake_forgotten()


register_keeper(_keep)
