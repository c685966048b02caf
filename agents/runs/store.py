"""Durable state of runs: the lease, the events, the loop's state, and how a run ends.

Every write checks the lease epoch in the transaction that writes: a worker that lost its lease can
write nothing. Events and state go in one transaction; the publication to sockets follows it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from agents.approvals.applying import apply_decisions, wake_when_decided
from agents.constants import OPEN_RUN_STATES, CallState, MessageRole, RunState
from agents.engine.errors import RunInterrupted
from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    CitationAdded,
    RoundStarted,
    RunFinished,
    RunOutcome,
    RunReason,
    RunStarted,
    ThoughtDelta,
    ThoughtFinished,
)
from agents.engine.state import RunState as LoopState
from agents.models import AgentRun, Message, RunEvent, ToolCall
from agents.runs.asker import asker_of
from agents.runs.blobs import pack_state
from agents.runs.projections import project
from agents.runs.publish import publish_events
from agents.sharing.prompts import without_prompt
from agents.signals import run_finished
from core.durability import commit_without_waiting
from core.errors import NotFound
from core.jobs.work import worker_name
from core.jsonvalues import storable, storable_text
from core.tenancy import space_scope
from knowledge.evidence import Cited, store_evidence
from knowledge.sharing.evidence import store_shared_evidence

_STATE_OF_OUTCOME: dict[RunOutcome, RunState] = {
    "answered": RunState.DONE,
    "fallback": RunState.DONE,
    "limit_reached": RunState.DONE,
    "stopped": RunState.CANCELLED,
    "failed": RunState.FAILED,
}
TAKES_WITHOUT_PROGRESS = 8
"""So many workers in a row may end on a run without getting further…"""
TIME_WITHOUT_PROGRESS = timedelta(minutes=3)
"""…unless all of them came within this time: then something else ends workers."""


MOST_UNCITED = 20
"""Sources kept with an answer whose agent writes no citations."""


_READ_ALONG = ("conversation", "question", "agent__chat_model", "user")
"""What whoever takes a run needs beside it."""
_TAKEN = (
    *("state", "lease_epoch", "lease_owner", "heartbeat_at", "started_at"),
    *("progress", "progress_epoch", "progress_at"),
)
_TEXT = (RunStarted, RoundStarted, ThoughtDelta, ThoughtFinished, AnswerDelta, CitationAdded)
"""Events that are shown and nothing else."""
_RECORD_TEXT = """
    WITH mine AS (
        UPDATE agents_agentrun SET last_seq = %s, heartbeat_at = now()
        WHERE id = %s AND lease_epoch = %s AND state = 'running'
        RETURNING id, space_id, cancel_requested
    ), added AS (
        INSERT INTO agents_runevent (space_id, run_id, seq, seq_to, type, data, created_at)
        SELECT mine.space_id, mine.id, event.seq, event.seq_to, event.type, event.data, now()
        FROM mine, jsonb_to_recordset(%s::jsonb) AS event(seq int, seq_to int, type text, data jsonb)
    )
    SELECT cancel_requested FROM mine
"""


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

    @cached_property
    def data(self) -> dict[str, Any]:
        """The event as JSON, for its row and for the sockets."""
        found: dict[str, Any] = storable(self.event.model_dump(mode="json"))
        return found


def take_lease(run_id: UUID) -> tuple[Lease, AgentRun] | None:
    """Take a run under a new epoch; None when it is over, or waits for a person."""
    with transaction.atomic():
        commit_without_waiting()
        rows = AgentRun.objects.select_for_update(of=("self",)).select_related(*_READ_ALONG)
        run = rows.filter(pk=run_id).first()
        if run is None or run.state not in (RunState.QUEUED, RunState.RUNNING):
            return None
        if _is_stuck(run):
            detail = f"Its workers ended {TAKES_WITHOUT_PROGRESS} times at the same place."
            finish_unstarted(run, outcome="failed", reason="internal_error", detail=detail)
            return None
        changed = [*_TAKEN, "loop_state"] if apply_decisions(run) else _TAKEN
        run.state = RunState.RUNNING
        run.lease_epoch += 1
        run.lease_owner = worker_name()
        run.heartbeat_at = timezone.now()
        run.started_at = run.started_at or run.heartbeat_at
        run.save(update_fields=changed)
    lease = Lease(run_id=run.pk, conversation_id=run.conversation_id, epoch=run.lease_epoch)
    return lease, run


def _is_stuck(run: AgentRun) -> bool:
    """Note how far the run is; say whether too many workers got it no further."""
    if run.lease_epoch == 0:  # the first worker, which is how nearly every run goes
        ended = 0
    else:
        ended = ToolCall.objects.filter(run=run).exclude(state=CallState.STARTED).count()
    progress = len(run.loop_state.get("messages", ())) + ended
    now = timezone.now()
    if progress > run.progress or run.progress_at is None:
        run.progress, run.progress_epoch, run.progress_at = progress, run.lease_epoch, now
    takes = run.lease_epoch - run.progress_epoch
    return takes >= TAKES_WITHOUT_PROGRESS and now - run.progress_at >= TIME_WITHOUT_PROGRESS


def record(lease: Lease, events: Sequence[Recorded], state: LoopState | None) -> bool:
    """Write events, and the loop's state when one is given; return whether a stop was asked for.

    Raises:
        LeaseLost: nothing was written.
    """
    if state is None and events and all(isinstance(each.event, _TEXT) for each in events):
        return _record_text(lease, events)
    with transaction.atomic():
        run = (
            AgentRun.objects.select_for_update(of=("self",))
            .select_related("agent")
            .filter(pk=lease.run_id, lease_epoch=lease.epoch, state=RunState.RUNNING)
            .defer("loop_state")
            .first()
        )
        if run is None:
            raise LeaseLost
        events = _with_stop_reason(run, events)
        _append(run, events)
        changed = ["last_seq", "heartbeat_at"]
        if state is not None:
            kept = state if run.shared_agent_id is None else without_prompt(state)
            run.loop_state, run.usage = pack_state(run.space_id, kept), state.usage.model_dump()
            changed += ["loop_state", "usage"]
        run.heartbeat_at = timezone.now()
        last = events[-1].event if events else None
        if isinstance(last, RunFinished):
            changed += _finish(run, last, state)
        run.save(update_fields=changed)
        _publish_on_commit(run.conversation_id, run.pk, events)
    return run.cancel_requested


def _with_stop_reason(run: AgentRun, events: Sequence[Recorded]) -> Sequence[Recorded]:
    """Let the end of a run say why it was stopped, where it was no person's wish."""
    last = events[-1].event if events else None
    if not (run.stop_reason and isinstance(last, RunFinished) and last.outcome == "stopped"):
        return events
    told = last.model_copy(update={"detail": run.stop_reason})
    return [*events[:-1], replace(events[-1], event=told)]


def _record_text(lease: Lease, events: Sequence[Recorded]) -> bool:
    """Write events from which nothing follows in one statement: a streamed answer has many."""
    rows = [
        {
            "seq": each.event.seq,
            "seq_to": each.seq_to,
            "type": each.event.type,
            "data": each.data,
        }
        for each in events
    ]
    with connection.cursor() as cursor:
        last = events[-1].seq_to
        cursor.execute(_RECORD_TEXT, [last, lease.run_id, lease.epoch, json.dumps(rows)])
        found = cursor.fetchone()
    if found is None:
        raise LeaseLost
    _publish_on_commit(lease.conversation_id, lease.run_id, events)
    return bool(found[0])


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
    """Let go of a run that waits for a person: no worker has it until somebody decides.

    What was decided, or stopped, since the loop asked gives it a job at once.
    """
    with transaction.atomic():
        run = (
            AgentRun.objects.select_for_update()
            .filter(pk=lease.run_id, lease_epoch=lease.epoch, state=RunState.RUNNING)
            .first()
        )
        if run is None:
            return
        run.state, run.heartbeat_at = RunState.WAITING_APPROVAL, timezone.now()
        run.save(update_fields=["state", "heartbeat_at"])
        wake_when_decided(run)


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
    _publish_on_commit(run.conversation_id, run.pk, events)


def _append(run: AgentRun, events: Sequence[Recorded]) -> None:
    RunEvent.objects.bulk_create(
        RunEvent(
            space_id=run.space_id,
            run=run,
            seq=each.event.seq,
            seq_to=each.seq_to,
            type=each.event.type,
            data=each.data,
        )
        for each in events
    )
    project(run, (each.event for each in events))
    if events:
        run.last_seq = events[-1].seq_to


def _finish(run: AgentRun, event: RunFinished, state: LoopState | None) -> list[str]:
    """Close the run and store its answer with the evidence; return the changed fields."""
    run.state = _STATE_OF_OUTCOME[event.outcome]
    run.outcome, run.reason = event.outcome, event.detail
    run.ended_at = timezone.now()
    if event.answer:
        run.answer = Message.objects.create(
            id=run.pk,  # clients of the API are told its id before there is an answer
            space_id=run.space_id,
            conversation_id=run.conversation_id,
            role=MessageRole.ASSISTANT,
            text=storable_text(event.answer),
            position=_position_behind(run),
        )
        _store_evidence(run, run.answer, _cited(state))
    run_id, space_id = run.pk, run.space_id
    # Robust: the end itself is told behind it, whatever becomes of this.
    transaction.on_commit(lambda: _tell_finished(run_id, space_id=space_id), robust=True)
    return ["state", "outcome", "reason", "ended_at", "answer"]


def _tell_finished(run_id: UUID, *, space_id: int) -> None:
    """Tell what follows runs; each would read the same row otherwise.

    The transaction may have been begun by somebody outside of the run's space, such as an erasure.
    """
    related = ("conversation", "question", "answer", "agent", "user")
    with space_scope(space_id):
        run = AgentRun.objects.select_related(*related).filter(pk=run_id).first()
        if run is not None:  # else its conversation was deleted in this moment
            run_finished.send_robust(AgentRun, run=run)


def _store_evidence(run: AgentRun, answer: Message, cited: Sequence[Cited]) -> None:
    """Store what the answer cites; passages of shared bases are read once more as the guest."""
    elsewhere = store_evidence(run.space_id, answer.pk, cited)
    if not elsewhere:
        return
    with contextlib.suppress(NotFound):  # no member any more: nothing is shared with them
        store_shared_evidence(asker_of(run), origin_id=answer.pk, cited=elsewhere)


def _position_behind(run: AgentRun) -> int:
    rows = Message.objects.filter(conversation_id=run.conversation_id).order_by("-position")
    last = rows.values_list("position", flat=True).first()
    return 0 if last is None else last + 1


def _cited(state: LoopState | None) -> list[Cited]:
    if state is None:
        return []
    if not state.shows_markers and not state.citations:
        return _read(state)
    return [
        Cited(marker=citation.marker, chunk_id=UUID(citation.chunk_id))
        for citation in state.citations
        if citation.kind == "chunk" and citation.chunk_id
    ]


def _read(state: LoopState) -> list[Cited]:
    """Return the passages that an answer without markers was made from, as far as they were shown."""
    shown = [each for each in state.aliases.sources.values() if each.kind == "chunk"]
    return [
        Cited(marker=number, chunk_id=UUID(source.target))
        for number, source in enumerate(shown[:MOST_UNCITED], 1)
    ]


def _publish_on_commit(conversation_id: UUID, run_id: UUID, events: Sequence[Recorded]) -> None:
    frames = [{"seq": e.event.seq, "seq_to": e.seq_to, "event": e.data} for e in events]
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
