"""Durable state of runs: the lease, the events, the loop's state, and how a run ends.

Every write checks the lease epoch in the transaction that writes: a worker that lost its lease can
write nothing. Events and state go in one transaction; the publication to sockets follows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from agents.constants import OPEN_RUN_STATES, MessageRole, RunState
from agents.engine.errors import RunInterrupted
from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    RunFinished,
    RunOutcome,
    RunReason,
    ThoughtDelta,
)
from agents.engine.state import RunState as LoopState
from agents.models import AgentRun, Message, RunEvent
from agents.runs.blobs import pack_state
from agents.runs.publish import publish_events
from core.jobs.work import worker_name
from core.jsonvalues import storable, storable_text
from knowledge.evidence import Cited, store_evidence

_STATE_OF_OUTCOME: dict[RunOutcome, RunState] = {
    "answered": RunState.DONE,
    "fallback": RunState.DONE,
    "limit_reached": RunState.DONE,
    "stopped": RunState.CANCELLED,
    "failed": RunState.FAILED,
}


class LeaseLost(RunInterrupted):
    """Another worker has the run, or it is over."""


@dataclass(frozen=True, kw_only=True)
class Lease:
    """The right to write to a run."""

    run_id: UUID
    conversation_id: UUID
    epoch: int


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """One row's worth of events: a single one, or deltas that were joined."""

    event: AgentEvent
    """Numbered; of joined deltas the one that carries the whole text, under the first number."""
    seq_to: int


def take_lease(run_id: UUID) -> tuple[Lease, AgentRun] | None:
    """Take a run under a new epoch; None when it is over, or waits for a person."""
    with transaction.atomic():
        run = AgentRun.objects.select_for_update().filter(pk=run_id).first()
        if run is None or run.state not in (RunState.QUEUED, RunState.RUNNING):
            return None
        run.state = RunState.RUNNING
        run.lease_epoch += 1
        run.lease_owner = worker_name()
        run.heartbeat_at = timezone.now()
        run.started_at = run.started_at or run.heartbeat_at
        run.save()
    lease = Lease(run_id=run.pk, conversation_id=run.conversation_id, epoch=run.lease_epoch)
    return lease, run


def record(lease: Lease, events: Sequence[Recorded], state: LoopState | None) -> bool:
    """Write events, and the loop's state when one is given; return whether a stop was asked for.

    Raises:
        LeaseLost: nothing was written.
    """
    with transaction.atomic():
        run = (
            AgentRun.objects.select_for_update()
            .filter(pk=lease.run_id, lease_epoch=lease.epoch, state=RunState.RUNNING)
            .first()
        )
        if run is None:
            raise LeaseLost
        _append(run, events)
        changed = ["last_seq", "heartbeat_at"]
        if state is not None:
            run.loop_state, run.usage = pack_state(run.space_id, state), state.usage.model_dump()
            changed += ["loop_state", "usage"]
        run.heartbeat_at = timezone.now()
        last = events[-1].event if events else None
        if isinstance(last, RunFinished):
            changed += _finish(run, last, state)
        run.save(update_fields=changed)
        _publish_on_commit(run, events)
    return run.cancel_requested


def keep_lease(lease: Lease) -> bool:
    """Renew the lease of a run that says nothing; return whether a stop was asked for.

    Raises:
        LeaseLost: another worker has it.
    """
    rows = AgentRun.objects.filter(pk=lease.run_id, lease_epoch=lease.epoch, state=RunState.RUNNING)
    if not rows.update(heartbeat_at=timezone.now()):
        raise LeaseLost
    return AgentRun.objects.filter(pk=lease.run_id, cancel_requested=True).exists()


def suspend(lease: Lease) -> None:
    """Let go of a run that waits for a person: no worker has it until somebody decides."""
    AgentRun.objects.filter(
        pk=lease.run_id, lease_epoch=lease.epoch, state=RunState.RUNNING
    ).update(state=RunState.WAITING_APPROVAL, heartbeat_at=timezone.now())


def finish_unstarted(run: AgentRun, *, outcome: RunOutcome, reason: RunReason, detail: str) -> None:
    """End a run that no worker has (it never began, or its workers died) with a stated reason."""
    if run.state not in OPEN_RUN_STATES:
        return
    run.lease_epoch += 1
    event = RunFinished(
        seq=run.last_seq + 1, outcome=outcome, reason=reason, detail=detail, answer=""
    )
    events = [Recorded(event=event, seq_to=event.seq)]
    _append(run, events)
    _finish(run, event, None)
    run.save()
    _publish_on_commit(run, events)


def _append(run: AgentRun, events: Sequence[Recorded]) -> None:
    RunEvent.objects.bulk_create(
        RunEvent(
            space_id=run.space_id,
            run=run,
            seq=each.event.seq,
            seq_to=each.seq_to,
            type=each.event.type,
            data=storable(each.event.model_dump(mode="json")),
        )
        for each in events
    )
    if events:
        run.last_seq = events[-1].seq_to


def _finish(run: AgentRun, event: RunFinished, state: LoopState | None) -> list[str]:
    """Close the run and store its answer with the evidence; return the changed fields."""
    run.state = _STATE_OF_OUTCOME[event.outcome]
    run.outcome, run.reason = event.outcome, event.detail
    run.ended_at = timezone.now()
    if event.answer:
        run.answer = Message.objects.create(
            space_id=run.space_id,
            conversation_id=run.conversation_id,
            role=MessageRole.ASSISTANT,
            text=storable_text(event.answer),
            position=_position_behind(run),
        )
        store_evidence(run.space_id, run.answer.pk, _cited(state))
    return ["state", "outcome", "reason", "ended_at", "answer"]


def _position_behind(run: AgentRun) -> int:
    rows = Message.objects.filter(conversation_id=run.conversation_id).order_by("-position")
    last = rows.values_list("position", flat=True).first()
    return 0 if last is None else last + 1


def _cited(state: LoopState | None) -> list[Cited]:
    if state is None:
        return []
    return [
        Cited(marker=citation.marker, chunk_id=UUID(citation.chunk_id))
        for citation in state.citations
        if citation.kind == "chunk" and citation.chunk_id
    ]


def _publish_on_commit(run: AgentRun, events: Sequence[Recorded]) -> None:
    frames = [
        {"seq": e.event.seq, "seq_to": e.seq_to, "event": e.event.model_dump(mode="json")}
        for e in events
    ]
    conversation_id, run_id = run.conversation_id, run.pk
    transaction.on_commit(lambda: publish_events(conversation_id, run_id, frames))


def join_deltas(events: Sequence[AgentEvent]) -> list[Recorded]:
    """Join neighbouring deltas of one kind and round into one row each."""
    return join_deltas_of_rows([Recorded(event=event, seq_to=event.seq) for event in events])


def join_deltas_of_rows(rows: Sequence[Recorded]) -> list[Recorded]:
    """Join rows of neighbouring deltas; the first number and the last one span what was joined."""
    joined: list[Recorded] = []
    for row in rows:
        whole = _joined_event(joined[-1].event, row.event) if joined else None
        if whole is None:
            joined.append(row)
        else:
            joined[-1] = Recorded(event=whole, seq_to=row.seq_to)
    return joined


def _joined_event(first: AgentEvent, second: AgentEvent) -> AgentEvent | None:
    if isinstance(first, AnswerDelta) and isinstance(second, AnswerDelta):
        return first.model_copy(update={"text": first.text + second.text})
    if (
        isinstance(first, ThoughtDelta)
        and isinstance(second, ThoughtDelta)
        and first.round == second.round
    ):
        return first.model_copy(update={"text": first.text + second.text})
    return None
