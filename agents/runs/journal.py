"""The journal of tool calls: what was begun and how it ended, by (run, call id)."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from agents.constants import CallState, RunState
from agents.engine.calls import ToolOutcome
from agents.engine.toolsets import CallInfo, JournalEntry
from agents.models import AgentRun, ToolCall
from agents.runs.store import Lease, LeaseLost
from core.aio import in_db
from core.jsonvalues import storable


class RunJournal:
    """The engine's `Journal`, in the database, under the run's lease."""

    def __init__(self, lease: Lease, *, space_id: int) -> None:
        self._lease = lease
        self._space_id = space_id

    async def lookup(self, call_id: str) -> JournalEntry | None:
        """Return what is known of the call."""
        return await in_db(_lookup, self._lease, call_id)

    async def started(self, call: CallInfo) -> None:
        """Write the call down before it has any effect."""
        await in_db(_start, self._lease, self._space_id, call)

    async def completed(self, call: CallInfo, outcome: ToolOutcome) -> None:
        """The call did what it should."""
        await in_db(_end, self._lease, call.call_id, CallState.COMPLETED, outcome)

    async def failed(self, call: CallInfo, outcome: ToolOutcome) -> None:
        """The call failed in a way the model is told."""
        await in_db(_end, self._lease, call.call_id, CallState.FAILED, outcome)


def _lookup(lease: Lease, call_id: str) -> JournalEntry | None:
    row = ToolCall.objects.filter(run_id=lease.run_id, call_id=call_id).first()
    if row is None:
        return None
    if row.state == CallState.STARTED:
        return JournalEntry(status="started")
    outcome = ToolOutcome.model_validate(row.result)
    return JournalEntry(
        status="completed" if row.state == CallState.COMPLETED else "failed", outcome=outcome
    )


def _start(lease: Lease, space_id: int, call: CallInfo) -> None:
    with transaction.atomic():
        _require_lease(lease)
        ToolCall.objects.update_or_create(
            run_id=lease.run_id,
            call_id=call.call_id,
            defaults={
                "space_id": space_id,
                "name": call.name,
                "arguments": storable(call.arguments),
                "arguments_hash": call.fingerprint[:64],
                "side_effects": call.side_effects,
                "state": CallState.STARTED,
                "started_at": timezone.now(),
            },
        )


def _end(lease: Lease, call_id: str, state: CallState, outcome: ToolOutcome) -> None:
    with transaction.atomic():
        _require_lease(lease)
        ToolCall.objects.filter(run_id=lease.run_id, call_id=call_id).update(
            state=state,
            result=storable(outcome.model_dump(mode="json")),
            ended_at=timezone.now(),
        )


def _require_lease(lease: Lease) -> None:
    mine = AgentRun.objects.select_for_update().filter(
        pk=lease.run_id, lease_epoch=lease.epoch, state=RunState.RUNNING
    )
    if not mine.exists():
        raise LeaseLost
