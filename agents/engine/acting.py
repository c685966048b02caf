"""Act and observe: the tool calls of one round.

Calls run together, those with unsafe side effects alone and in the model's order. Each end is told
when it comes; the model reads the results in its own order. One failure never ends its siblings.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterator, Sequence
from contextlib import aclosing
from typing import Any

from agents.engine.approving import RoundPlan, plan_round, request_events
from agents.engine.calls import ToolOutcome
from agents.engine.errors import RunCancelled, ToolFailed
from agents.engine.events import (
    AgentEvent,
    ApprovalResolved,
    RoundDegraded,
    ToolCallFinished,
    ToolCallStarted,
)
from agents.engine.execution import PreparedCall, execute, normalise_ids, prepare, refusal
from agents.engine.pictures import holds_picture
from agents.engine.run_context import RunContext
from agents.engine.state import Finding, TokenBaseline
from agents.engine.steps import Abort, AwaitApproval, Continue, Step
from agents.engine.turns import Turn
from providers.contracts.chat import ChatMessage, ToolCall

CANCEL_GRACE_SECONDS = 3.0


def take_calls(run: RunContext, turn: Turn) -> tuple[Step | None, list[AgentEvent]]:
    """Write the turn and its calls into the state; an Abort when all of them only repeat."""
    state = run.state
    state.calls_may_be_cut = turn.is_cut
    allowed = run.limits.max_calls_per_round
    events: list[AgentEvent] = []
    calls = normalise_ids(turn.calls[:allowed], round_number=state.round, taken=state.call_ids)
    if len(turn.calls) > allowed:
        detail = run.texts.too_many_calls.format(allowed=allowed, asked=len(turn.calls))
        events.append(RoundDegraded(round=state.round, reason="too_many_calls", detail=detail))
    repeated = _count_repeats(run, calls)
    if len(repeated) == len(calls):
        return _abort_repeats(run, calls[0]), events
    state.repeated_ids = repeated
    state.call_ids += [call.call_id for call in calls]
    state.messages.append(
        ChatMessage(role="assistant", content=turn.text, reasoning=turn.reasoning, tool_calls=calls)
    )
    if turn.usage is not None:
        tokens = turn.usage.input_tokens + turn.usage.output_tokens
        state.baseline = TokenBaseline(tokens=tokens, messages=len(state.messages))
    state.round_open = False
    return None, events


def _count_repeats(run: RunContext, calls: Sequence[ToolCall]) -> list[str]:
    repeated = []
    for call in calls:
        prepared = prepare(run, call)
        if prepared.tool is not None and prepared.tool.repeatable:
            continue
        key = prepared.info.fingerprint
        run.state.call_counts[key] = run.state.call_counts.get(key, 0) + 1
        if run.state.call_counts[key] >= run.limits.repeated_calls:
            repeated.append(call.call_id)
    return repeated


def _abort_repeats(run: RunContext, call: ToolCall) -> Abort:
    detail = run.texts.repeated_call.format(name=call.name, times=run.limits.repeated_calls)
    return Abort(outcome="limit_reached", reason="repeated_call", detail=detail, ask_model=True)


async def act(run: RunContext) -> AsyncGenerator[AgentEvent | Step, None]:
    """Run the open calls; yield their events and, last, the step they lead to."""
    state = run.state
    plan = RoundPlan()
    async with aclosing(plan_round(run, plan)) as resolved:
        async for event in resolved:
            yield event
    for prepared, outcome in plan.settled:
        if started := _start(run, prepared):
            yield started
        yield _finish(run, outcome)
    for batch in make_batches(plan.ready):
        for prepared in batch:
            if started := _start(run, prepared):
                yield started
        async with aclosing(_run_batch(run, batch)) as outcomes:
            async for outcome in outcomes:
                yield _finish(run, outcome)
        run.cancel.check()
    if plan.waiting:
        for event in request_events(run, plan):
            yield event
        yield AwaitApproval(call_ids=tuple(each.call_id for each in plan.waiting))
        return
    if any(each.error_code == "cut_arguments" for each in state.open_outcomes.values()):
        detail = run.texts.calls_cut
        yield RoundDegraded(round=state.round, reason="calls_cut", detail=detail)
    observe(run)
    yield Continue()


def make_batches(ready: Sequence[PreparedCall]) -> list[list[PreparedCall]]:
    """Return the calls in groups that may run together, in the model's order."""
    batches: list[list[PreparedCall]] = []
    open_batch = False
    for prepared in ready:
        if prepared.runs_alone:
            batches.append([prepared])
            open_batch = False
        elif open_batch:
            batches[-1].append(prepared)
        else:
            batches.append([prepared])
            open_batch = True
    return batches


async def _run_batch(
    run: RunContext, batch: Sequence[PreparedCall]
) -> AsyncGenerator[ToolOutcome, None]:
    """Yield the outcomes as they come; when the run is stopped, also those of ended calls."""
    slots = asyncio.Semaphore(run.limits.parallel_calls)

    async def one(prepared: PreparedCall) -> ToolOutcome:
        async with slots:
            return await execute(run, prepared)

    tasks = {asyncio.create_task(one(each)): each for each in batch}
    stop = asyncio.create_task(run.cancel.wait())
    open_tasks = set(tasks)
    try:
        while open_tasks and not run.cancel.cancelled:
            done, _ = await asyncio.wait({*open_tasks, stop}, return_when=asyncio.FIRST_COMPLETED)
            for task in [each for each in tasks if each in done and each in open_tasks]:
                open_tasks.discard(task)
                yield _outcome_of(task, tasks[task])
        await _end(open_tasks)
        for task in [each for each in tasks if each in open_tasks]:
            yield _outcome_of(task, tasks[task])
    finally:
        await _end([*tasks, stop])
        for task in tasks:
            # Several hooks may have failed; the first one is raised, the others are only read.
            if task.done() and not task.cancelled():
                task.exception()


def _outcome_of(task: asyncio.Task[ToolOutcome], prepared: PreparedCall) -> ToolOutcome:
    """Return what the call led to. What a hook raised ends the run."""
    if not task.done() or task.cancelled():
        return refusal(prepared, _stopped())
    try:
        return task.result()
    except RunCancelled:
        return refusal(prepared, _stopped())


def _stopped() -> ToolFailed:
    return ToolFailed("The run was stopped before this call ended.", code="cancelled")


async def _end(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancel what still runs and wait for it, but not for a tool that refuses to end."""
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=CANCEL_GRACE_SECONDS)


def _start(run: RunContext, prepared: PreparedCall) -> ToolCallStarted | None:
    info = prepared.info
    if info.call_id in run.state.started_ids:
        return None
    run.state.started_ids.append(info.call_id)
    return ToolCallStarted(
        round=run.state.round,
        call_id=info.call_id,
        name=info.name,
        arguments=info.arguments,
        title=info.title,
    )


def _finish(run: RunContext, outcome: ToolOutcome) -> ToolCallFinished:
    run.state.open_outcomes[outcome.call_id] = outcome
    if outcome.ok:
        run.state.findings.append(Finding(name=outcome.name, summary=outcome.summary))
        run.state.has_pictures = run.state.has_pictures or holds_picture(outcome.output)
    return ToolCallFinished(
        round=run.state.round,
        call_id=outcome.call_id,
        name=outcome.name,
        ok=outcome.ok,
        output=outcome.output,
        summary=outcome.summary,
        data=outcome.data,
        duration_ms=outcome.duration_ms,
        error_code=outcome.error_code,
    )


def end_open_calls(run: RunContext) -> Iterator[AgentEvent]:
    """Yield the end of calls that were begun or asked about and will not be carried on with."""
    state = run.state
    for call in state.open_calls:
        if call.call_id in state.requested_ids and call.call_id not in state.resolved_ids:
            state.resolved_ids.append(call.call_id)
            yield ApprovalResolved(round=state.round, call_id=call.call_id, resolution="cancelled")
        if call.call_id in state.started_ids and call.call_id not in state.open_outcomes:
            yield _finish(run, refusal(prepare(run, call), _stopped()))


def observe(run: RunContext) -> None:
    """Hand the results to the model, in the order in which it asked."""
    state = run.state
    for call in state.open_calls:
        outcome = state.open_outcomes.get(call.call_id)
        if outcome is not None:
            state.messages.append(
                ChatMessage(role="tool", content=outcome.output, call_id=call.call_id)
            )
    state.open_outcomes.clear()
    state.approvals.clear()
    for ids in (state.started_ids, state.repeated_ids, state.resolved_ids, state.requested_ids):
        ids.clear()
    state.calls_may_be_cut = False
