"""One run in a worker: take the lease, prepare, run the loop, store each event before it is shown.

The run belongs to this worker as long as its lease epoch is the newest. Runs of a process share one
event loop, so that clients of models keep their connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from uuid import UUID

from asgiref.sync import ThreadSensitiveContext
from django.db import transaction

from agents.answers.quick import CALL_ID, search_first
from agents.engine.cancel import CancelToken
from agents.engine.events import AgentEvent, RunFinished, RunStarted, number_event
from agents.engine.loop import ReactLoop
from agents.engine.tokens import default_counter
from agents.jobs import FOLD_RUN
from agents.models import AgentRun
from agents.prompts import engine_prompts
from agents.runs.journal import RunJournal
from agents.runs.prepare import Prepared, prepare
from agents.runs.recorder import Recorder
from agents.runs.store import Lease, LeaseLost, finish_unstarted, keep_lease, suspend, take_lease
from agents.tools.deps import RunDeps
from core.aio import LoopThread, in_db
from core.errors import ProjectError
from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobCancelled, JobContext
from providers.contracts.errors import ModelError

logger = logging.getLogger(__name__)
WATCH_SECONDS = 1.0
_runs = LoopThread("runs")


def run_agent(context: JobContext, *, run_id: UUID) -> None:
    """Make the run's answer, or go on with it; returns when the run is over or waits for a person.

    Raises:
        JobCancelled: another worker has the run now.
    """
    taken = take_lease(run_id)
    if taken is None:
        return
    lease, run = taken
    try:
        prepared = prepare(lease, run)
    except ProjectError as error:
        _end_unprepared(run_id, error.message)
        return
    default_counter()  # reads a file the first time, which the shared loop must not wait for
    _runs.submit(_drive(context, prepared)).result()
    enqueue(FOLD_RUN, dedupe_key=str(run_id), delay_seconds=60, run_id=str(run_id))


def _end_unprepared(run_id: UUID, reason: str) -> None:
    with transaction.atomic():
        run = AgentRun.objects.select_for_update().get(pk=run_id)
        finish_unstarted(run, outcome="failed", reason="internal_error", detail=reason)


async def _drive(context: JobContext, prepared: Prepared) -> None:
    """Run the loop; beside it one task writes joined deltas, another watches for a stop."""
    token = CancelToken()
    async with ThreadSensitiveContext():
        recorder = Recorder(prepared.lease, on_stop=token.cancel)
        helpers = [
            asyncio.create_task(recorder.run()),
            asyncio.create_task(_watch(context, prepared.lease, recorder, token)),
        ]
        try:
            async with contextlib.aclosing(_events(prepared, token)) as events:
                async for event in events:
                    await recorder.add(event, prepared.state)
            await recorder.flush()
            if prepared.state.waiting and not prepared.state.finished:
                await in_db(suspend, prepared.lease)
        except LeaseLost as lost:
            raise JobCancelled("Another worker took the run over.") from lost
        finally:
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)


async def _events(prepared: Prepared, token: CancelToken) -> AsyncGenerator[AgentEvent, None]:
    """Yield the loop's events; a quick answer's retrieval is told right behind the start."""
    state = prepared.state
    loop = ReactLoop[RunDeps](
        model=prepared.model,
        prompts=engine_prompts(),
        deps=prepared.deps,
        toolset=prepared.toolset.with_journal(
            RunJournal(prepared.lease, space_id=prepared.deps.actor.space_id)
        ),
        limits=prepared.limits,
        counter=default_counter(),
        principal=f"user:{prepared.deps.actor.id}",
    )
    searches = state.mode == "quick" and CALL_ID not in state.call_ids
    if searches and state.next_seq > 1:  # its first worker died before the retrieval was stored
        async for step in _search(prepared):
            yield step
        searches = False
    async with contextlib.aclosing(loop.run(state, cancel=token)) as events:
        async for event in events:
            yield event
            if isinstance(event, RunStarted) and searches:
                async for step in _search(prepared):
                    yield step
            if state.finished:
                return


async def _search(prepared: Prepared) -> AsyncGenerator[AgentEvent, None]:
    """Yield the retrieval's events, numbered in the run's own row; a failure of it ends the run."""
    state = prepared.state
    try:
        search = await search_first(state, prepared.deps)
        events: tuple[AgentEvent, ...] = (search.started, search.finished)
    except (ProjectError, ModelError) as error:
        logger.warning("The retrieval of run %s failed: %s", prepared.lease.run_id, error)
        detail = f"The search failed: {error}"
        state.finished = True
        events = (RunFinished(outcome="failed", reason="internal_error", detail=detail, answer=""),)
    for event in events:
        number, state.next_seq = state.next_seq, state.next_seq + 1
        yield number_event(event, number)


async def _watch(context: JobContext, lease: Lease, recorder: Recorder, token: CancelToken) -> None:
    """Renew the lease; stop the loop when a person or the time limit wants it, or it is not ours."""
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        try:
            stop_asked = await in_db(keep_lease, lease)
        except LeaseLost as lost:
            recorder.failure = lost
            token.cancel()
            return
        if context.cancelled and not (stop_asked or context.timed_out):
            # The job is another worker's; what this one says from now on must not be stored.
            recorder.failure = LeaseLost()
        if stop_asked or context.cancelled:
            token.cancel()
