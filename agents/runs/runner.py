"""One run in a worker: take the lease, prepare, run the loop, store each event before it is shown.

The run belongs to this worker as long as its lease epoch is the newest. Runs of a process share one
event loop, so that clients of models keep their connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from dataclasses import replace
from uuid import UUID

from django.db import connection, transaction

from agents.answers.quick import CALL_ID, quick_steps
from agents.approvals.policy import policy_of
from agents.approvals.refusals import audit_refused_resume
from agents.engine.cancel import CancelToken
from agents.engine.events import (
    AgentEvent,
    RoundDegraded,
    RunFinished,
    RunStarted,
    number_event,
)
from agents.engine.loop import ReactLoop
from agents.engine.run_context import Gate
from agents.engine.state import RunState as LoopState
from agents.engine.tokens import default_counter
from agents.jobs import FOLD_RUN
from agents.models import AgentRun
from agents.prompts import engine_prompts
from agents.runs.family import inherited_limits
from agents.runs.journal import RunJournal
from agents.runs.leases import KeptLease, keeping
from agents.runs.offering import complete_toolset
from agents.runs.prepare import Prepared, prepare
from agents.runs.recorder import Recorder
from agents.runs.results import RunResults
from agents.runs.store import LeaseLost, finish_unstarted, keep_lease, suspend, take_lease
from agents.sharing.gate import SharedGate
from agents.spending.gate import BudgetGate
from agents.tools.deps import RunDeps
from agents.tracing.watching import RunFacts, traced
from core.aio import LoopThread, db_lane, in_db
from core.errors import ProjectError
from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobCancelled, JobContext
from providers.contracts.errors import ModelError

logger = logging.getLogger(__name__)
WATCH_SECONDS = 1.0
FOLD_FROM_EVENTS = 100
_runs = LoopThread("runs")


def run_agent(context: JobContext, *, run_id: UUID) -> None:
    """Make the run's answer, or go on with it; returns when the run is over or waits for a person.

    Raises:
        JobCancelled: another worker has the run now.
    """
    prepared = _take(context, run_id)
    if prepared is None:
        return
    default_counter()  # reads a file the first time, which the shared loop must not wait for
    _let_connection_go()
    _runs.submit(_drive(context, prepared, None)).result()
    _fold_later(prepared)


async def run_inside(context: JobContext, *, run_id: UUID, token: CancelToken) -> None:
    """Work on a further run within the job and the event loop of the run that began it.

    It has a lease of its own, so anybody can go on with it when this is cancelled.

    Raises:
        JobCancelled: another worker has it now.
    """
    prepared = await in_db(_take, context, run_id)
    if prepared is None:
        return
    await _drive(context, prepared, token)
    await in_db(_fold_later, prepared)


def _take(context: JobContext, run_id: UUID) -> Prepared | None:
    """Take and prepare a run; one that cannot be prepared is ended with its reason."""
    taken = take_lease(run_id)
    if taken is None:
        return None
    lease, run = taken
    try:
        prepared = prepare(lease, run)
    except ProjectError as error:
        _end_unprepared(run_id, error)
        return None
    deps = replace(prepared.deps, lease=lease, job=context)
    toolset = complete_toolset(prepared.toolset, deps, mode=prepared.agent.mode)
    limits = inherited_limits(run, prepared.limits)
    return replace(prepared, deps=deps, toolset=toolset, limits=limits)


def _fold_later(prepared: Prepared) -> None:
    """Let a long answer's deltas become one row; the few of a short one may stay."""
    if prepared.state.next_seq > FOLD_FROM_EVENTS:
        run_id = str(prepared.lease.run_id)
        enqueue(FOLD_RUN, dedupe_key=run_id, delay_seconds=60, run_id=run_id)


def _let_connection_go() -> None:
    """Give this thread's connection back: it only waits now, and there are many such threads."""
    if not connection.in_atomic_block:
        connection.close()


def _end_unprepared(run_id: UUID, error: ProjectError) -> None:
    with transaction.atomic():
        run = AgentRun.objects.select_for_update().get(pk=run_id)
        audit_refused_resume(run, error)
        if run.cancel_requested:
            finish_unstarted(run, outcome="stopped", reason="cancelled", detail="Stopped by you.")
        else:
            finish_unstarted(run, outcome="failed", reason="internal_error", detail=error.message)


async def _drive(context: JobContext, prepared: Prepared, token: CancelToken | None) -> None:
    """Run the loop; beside it one task writes joined deltas, another watches for a stop."""
    token = token or CancelToken()
    async with db_lane():
        recorder = Recorder(prepared.lease, on_stop=token.cancel)
        async with keeping(prepared.lease) as kept:
            helpers = [
                asyncio.create_task(recorder.run()),
                asyncio.create_task(_watch(context, kept, recorder, token)),
            ]
            try:
                await _record_all(prepared, recorder, token)
            except LeaseLost as lost:
                raise JobCancelled("Another worker took the run over.") from lost
            finally:
                for helper in helpers:
                    helper.cancel()
                await asyncio.gather(*helpers, return_exceptions=True)


async def _record_all(prepared: Prepared, recorder: Recorder, token: CancelToken) -> None:
    """Run the loop to its end, or until it waits for a person."""
    if not prepared.is_new and await in_db(keep_lease, prepared.lease):
        token.cancel()  # stopped while it waited for a person
    async with contextlib.aclosing(traced(_facts(prepared), _events(prepared, token))) as events:
        async for event in events:
            await recorder.add(event, prepared.state)
    await recorder.flush()
    if prepared.state.waiting and not prepared.state.finished:
        await in_db(suspend, prepared.lease)


def _facts(prepared: Prepared) -> RunFacts:
    deps = prepared.deps
    return RunFacts(
        run_id=deps.run_id,
        conversation_id=deps.conversation_id,
        space_id=deps.actor.space_id,
        user_id=deps.actor.user_id,
        agent_id=deps.agent_id,
        agent_name=prepared.agent.name,
        model=prepared.model.name,
    )


async def _events(prepared: Prepared, token: CancelToken) -> AsyncGenerator[AgentEvent, None]:
    """Yield the loop's events; a quick answer's retrieval is told right behind the start."""
    state = prepared.state
    loop = ReactLoop[RunDeps](
        model=prepared.model,
        prompts=engine_prompts(),
        deps=prepared.deps,
        toolset=prepared.toolset.with_journal(
            RunJournal(prepared.lease, space_id=prepared.deps.actor.space_id)
        )
        .with_results(RunResults(prepared.lease, space_id=prepared.deps.actor.space_id))
        .with_approval(policy_of(prepared.deps)),
        limits=prepared.limits,
        options=prepared.options,
        counter=default_counter(),
        principal=prepared.deps.actor.principal,
        gate=_gate(prepared.deps, token),
    )
    searches = state.mode == "quick" and CALL_ID not in state.call_ids
    if searches and state.next_seq > 1:  # its first worker died before the retrieval was stored
        async for step in _search(prepared):
            yield step
        searches = False
    async with contextlib.aclosing(loop.run(state, cancel=token)) as events:
        async for event in events:
            yield event
            if isinstance(event, RunStarted) and prepared.memory_note:
                yield _memory_note(state, prepared.memory_note)
            if isinstance(event, RunStarted) and searches:
                async for step in _search(prepared):
                    yield step
            if state.finished:
                return


def _gate(deps: RunDeps, token: CancelToken) -> Gate:
    if deps.shared_by is None:
        return BudgetGate(agent_id=deps.agent_id, user_id=deps.actor.user_id)
    return SharedGate(
        actor=deps.actor,
        run_id=deps.run_id,
        agent_id=deps.agent_id,
        shared_by=deps.shared_by,
        stop=token,
    )


def _memory_note(state: LoopState, note: str) -> AgentEvent:
    return _numbered(state, RoundDegraded(round=0, reason="memory_unavailable", detail=note))


async def _search(prepared: Prepared) -> AsyncGenerator[AgentEvent, None]:
    """Yield a quick answer's steps, numbered in the run's own row; a failed search ends the run."""
    state = prepared.state
    steps = quick_steps(state, prepared.deps, model=prepared.rewriter)
    try:
        async with contextlib.aclosing(steps) as events:
            async for event in events:
                yield _numbered(state, event)
    except (ProjectError, ModelError) as error:
        logger.warning("The retrieval of run %s failed: %s", prepared.lease.run_id, error)
        detail = f"The search failed: {error}"
        state.finished = True
        yield _numbered(
            state,
            RunFinished(outcome="failed", reason="internal_error", detail=detail, answer=""),
        )


def _numbered(state: LoopState, event: AgentEvent) -> AgentEvent:
    number, state.next_seq = state.next_seq, state.next_seq + 1
    return number_event(event, number)


async def _watch(
    context: JobContext, kept: KeptLease, recorder: Recorder, token: CancelToken
) -> None:
    """Stop the loop when a person or the time limit wants it, or the run is another worker's."""
    while True:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(WATCH_SECONDS):
                await kept.news.wait()
        kept.news.clear()
        taken = context.cancelled and not (kept.stop_asked or context.timed_out)
        if kept.lost or taken:
            # What this worker says from now on must not be stored.
            recorder.failure = LeaseLost()
        if kept.lost or kept.stop_asked or context.cancelled:
            token.cancel()
        if kept.lost:
            return
