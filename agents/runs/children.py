"""Runs of other agents, begun by a call: made once per call, worked on inside of the caller's job.

The caller waits, so no worker slot is needed and calls within calls cannot starve the queue. The
child has its own lease and row: when the worker dies, the caller's repeated call finds the same
child and goes on with it; when time is nearly up, it is given to a job of its own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from agents.constants import MessageRole, RunState
from agents.engine.cancel import CancelToken
from agents.jobs import RUN_AGENT
from agents.models import Agent, AgentRun, Conversation, Message
from agents.runs.family import MAX_DEPTH, child_id_of, stop_descendants
from agents.runs.runner import run_inside
from agents.runs.store import LeaseLost
from agents.tools.deps import RunDeps
from agents.tracing.closed import documents_read
from core.aio import in_db
from core.errors import Invalid
from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobCancelled, JobContext
from core.models import BackgroundJob, JobState

WAIT_SECONDS = 570.0
"""How long a caller waits; then the child goes on by itself."""
_MARGIN_SECONDS = 30.0
"""Left to the caller before the time limit of its job."""
_STOP_SECONDS = 2.5
"""For a stopped child to write its end; the engine waits three seconds for a tool to end."""
_LOOK_SECONDS = 0.5
_TITLE_CHARS = 80
_NO_BASE = str(UUID(int=0))
"""In `base_ids`: a run without bases; empty would mean all of the agent's."""
_leaving: set[asyncio.Task[Any]] = set()


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """What an agent is asked by another one."""

    agent_id: UUID
    task: str
    waits: bool
    """Whether the caller waits; else a job of its own carries the child."""


def begin_child(deps: RunDeps, *, call_id: str, assignment: Assignment) -> AgentRun:
    """Return the run of this call; made when the call runs for the first time.

    It reads with the same person's rights, at most the caller's bases and documents.

    Raises:
        Invalid: too many runs stand above it already.
        LeaseLost: another worker has the caller.
    """
    if deps.depth >= MAX_DEPTH:
        raise Invalid(f"Agents can call each other {MAX_DEPTH} deep at most; do this yourself.")
    child_id = child_id_of(deps.run_id, call_id)
    with transaction.atomic():
        parent = AgentRun.objects.select_for_update().get(pk=deps.run_id)
        if deps.lease is not None and parent.lease_epoch != deps.lease.epoch:
            raise LeaseLost
        known = AgentRun.objects.filter(pk=child_id).first()
        if known is not None:
            return known
        child = _make(deps, parent, child_id=child_id, call_id=call_id, assignment=assignment)
    return child


def _make(
    deps: RunDeps, parent: AgentRun, *, child_id: UUID, call_id: str, assignment: Assignment
) -> AgentRun:
    agent = Agent.objects.get(pk=assignment.agent_id)
    conversation = Conversation.objects.create(
        space_id=parent.space_id,
        user_id=parent.user_id,
        principal=parent.principal,
        title=_title_of(assignment.task),
        agent=agent,
        is_internal=True,
    )
    question = Message.objects.create(
        space_id=parent.space_id,
        conversation=conversation,
        role=MessageRole.USER,
        text=assignment.task,
        position=0,
    )
    child = AgentRun(
        id=child_id,
        space_id=parent.space_id,
        conversation=conversation,
        question=question,
        agent=agent,
        agent_version=agent.version,
        user_id=parent.user_id,
        principal=parent.principal,
        base_ids=[str(each) for each in deps.base_ids] or [_NO_BASE],
        document_ids=[str(each) for each in deps.document_ids],
        # The task is the caller's own words, written after it had read these.
        inherited_document_ids=sorted(
            str(each) for each in documents_read([parent.pk]).get(parent.pk, set())
        ),
        parent=parent,
        parent_call_id=call_id,
        depth=deps.depth + 1,
    )
    if assignment.waits and deps.job is not None:
        child.job_id = deps.job.job_id  # housekeeping leaves it alone while the caller's job lives
    else:
        child.job_id = enqueue(RUN_AGENT, dedupe_key=str(child_id), run_id=str(child_id))
    child.save(force_insert=True)
    return child


async def finish_child(deps: RunDeps, child: AgentRun) -> None:
    """Return when the child is over, waits for a person, or was given to a job of its own."""
    job = deps.job
    if job is None or await in_db(_is_carried_elsewhere, child.pk, job):
        await watch_run(child.pk, seconds=WAIT_SECONDS)
        return
    remaining = job.deadline - time.monotonic() - _MARGIN_SECONDS
    await _work(deps, job, child.pk, seconds=min(WAIT_SECONDS, remaining))


async def watch_run(run_id: UUID, *, seconds: float) -> None:
    """Return when a run that others work on is over or waits, or after so many seconds."""
    deadline = time.monotonic() + seconds
    while await in_db(_is_worked_on, run_id):
        if time.monotonic() >= deadline:
            return
        await asyncio.sleep(_LOOK_SECONDS)


async def _work(deps: RunDeps, job: JobContext, child_id: UUID, *, seconds: float) -> None:
    token = CancelToken()
    work = asyncio.create_task(run_inside(job, run_id=child_id, token=token))
    try:
        await asyncio.wait({work}, timeout=max(0.0, seconds))
    except asyncio.CancelledError:
        # The caller ends now; what becomes of the child is decided in peace.
        await _in_peace(_leave(deps, job, work, token))
        raise
    if not work.done():
        await _let_go(work)
        await in_db(hand_over, child_id)
        return
    try:
        work.result()
    except JobCancelled:
        return  # Another worker has it.


async def _leave(
    deps: RunDeps, job: JobContext, work: asyncio.Task[None], token: CancelToken
) -> None:
    """Stop the child with its caller; when only the worker goes, leave it to the next one."""
    if await in_db(_caller_is_stopped, deps, job):
        token.cancel()
        await in_db(stop_descendants, deps.run_id, detail="Stopped with the run that asked.")
        await asyncio.wait({work}, timeout=_STOP_SECONDS)
    await _let_go(work)


async def _let_go(work: asyncio.Task[None]) -> None:
    """End the work here; the row stays as it is, for whoever takes it next."""
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)


async def _in_peace(coroutine: Coroutine[Any, Any, None]) -> None:
    task = asyncio.create_task(coroutine)
    _leaving.add(task)
    task.add_done_callback(_leaving.discard)
    await asyncio.shield(task)


def hand_over(child_id: UUID) -> None:
    """Give an open run to a job of its own."""
    with transaction.atomic():
        child = AgentRun.objects.select_for_update().get(pk=child_id)
        if child.state not in (RunState.QUEUED, RunState.RUNNING):
            return
        job_id = enqueue(RUN_AGENT, dedupe_key=str(child_id), run_id=str(child_id))
        if job_id is not None:
            AgentRun.objects.filter(pk=child_id).update(job_id=job_id)


def _caller_is_stopped(deps: RunDeps, job: JobContext) -> bool:
    """Whether the caller really ends; False when another worker goes on with it."""
    caller = AgentRun.objects.filter(pk=deps.run_id).first()
    if caller is None or caller.cancel_requested:
        return True
    if deps.lease is not None and caller.lease_epoch != deps.lease.epoch:
        return False
    return job.timed_out or not job.cancelled


def _is_carried_elsewhere(child_id: UUID, job: JobContext) -> bool:
    """Whether another living job has the child; one whose job is gone becomes ours."""
    with transaction.atomic():
        child = AgentRun.objects.select_for_update().get(pk=child_id)
        if child.job_id == job.job_id:
            return False
        if child.job_id is not None and _is_alive(child.job_id):
            return True
        AgentRun.objects.filter(pk=child_id).update(job_id=job.job_id)
        return False


def _is_alive(job_id: UUID) -> bool:
    return BackgroundJob.objects.filter(
        pk=job_id, state__in=(JobState.QUEUED, JobState.RUNNING)
    ).exists()


def _is_worked_on(run_id: UUID) -> bool:
    return AgentRun.objects.filter(
        pk=run_id, state__in=(RunState.QUEUED, RunState.RUNNING)
    ).exists()


def _title_of(task: str) -> str:
    line = " ".join(task.split())
    return line if len(line) <= _TITLE_CHARS else line[: _TITLE_CHARS - 1].rstrip() + "…"
