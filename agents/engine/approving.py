"""Deciding which calls of a round run, which are refused and which wait for a person."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field, replace

from agents.engine.calls import PendingApproval, ToolOutcome, fingerprint
from agents.engine.errors import RunInterrupted, ToolFailed
from agents.engine.events import AgentEvent, ApprovalKind, ApprovalRequested, ApprovalResolved
from agents.engine.execution import PreparedCall, prepare, refusal
from agents.engine.run_context import RunContext
from agents.engine.toolsets import JournalEntry, Verdict

logger = logging.getLogger(__name__)


@dataclass(kw_only=True)
class RoundPlan:
    """What happens to the calls of a round."""

    ready: list[PreparedCall] = field(default_factory=list)
    settled: list[tuple[PreparedCall, ToolOutcome]] = field(default_factory=list)
    """Refused ones, and ones whose outcome the journal knows."""
    waiting: list[PendingApproval] = field(default_factory=list)


async def plan_round(run: RunContext, plan: RoundPlan) -> AsyncGenerator[AgentEvent, None]:
    """Sort the open calls into the plan; yield which decisions were carried out."""
    todo = [
        prepare(run, call)
        for call in run.state.open_calls
        if call.call_id not in run.state.open_outcomes
    ]
    entries = await _look_up(run, todo)
    for prepared in todo:
        call_id = prepared.info.call_id
        pending = run.state.approvals.get(call_id)
        if pending is not None and pending.decision is None:
            plan.waiting.append(pending)
        elif pending is not None:
            resolved = await _carry_out(run, plan, prepared, pending, entries.get(call_id))
            if resolved is not None:
                yield resolved
        else:
            await _sort(run, plan, prepared, entries.get(call_id))


async def _look_up(run: RunContext, todo: list[PreparedCall]) -> dict[str, JournalEntry]:
    """Ask the journal about all calls before any runs.

    Known outcomes bring their aliases along; they are taken over first, so that a call that runs
    now cannot take their numbers.
    """
    entries: dict[str, JournalEntry] = {}
    if run.toolset.journal is None:
        return entries
    for prepared in todo:
        entry = await run.toolset.journal.lookup(prepared.info.call_id)
        if entry is not None:
            entries[prepared.info.call_id] = entry
            if entry.outcome is not None:
                run.state.aliases.adopt(entry.outcome.sources)
    return entries


async def _sort(
    run: RunContext, plan: RoundPlan, prepared: PreparedCall, entry: JournalEntry | None
) -> None:
    if entry is not None and entry.outcome is not None:
        plan.settled.append((prepared, entry.outcome))
        return
    if prepared.failure is not None:
        plan.settled.append((prepared, refusal(prepared, prepared.failure)))
        return
    if prepared.info.call_id in run.state.repeated_ids:
        plan.settled.append((prepared, refusal(prepared, _repeated(run, prepared))))
        return
    if entry is not None and prepared.runs_alone:
        verdict = Verdict(decision="ask", reason=run.texts.outcome_unknown)
        plan.waiting.append(_wait_for(run, prepared, verdict, kind="recovery"))
        return
    verdict = await _verdict(run, prepared)
    if verdict.decision == "ask":
        plan.waiting.append(_wait_for(run, prepared, verdict, kind="call"))
    elif verdict.decision == "deny":
        plan.settled.append((prepared, refusal(prepared, _denied(verdict))))
    else:
        plan.ready.append(prepared)


async def _verdict(run: RunContext, prepared: PreparedCall) -> Verdict:
    """Ask the policy; a policy that fails asks a person."""
    if run.toolset.approval is None:
        return Verdict(decision="auto")
    try:
        return await run.toolset.approval.decide(prepared.info)
    except RunInterrupted:
        raise
    except Exception:
        logger.exception("the approval policy failed for %s; a person is asked", prepared.info.name)
        return Verdict(decision="ask", reason="The rules for this call could not be read.")


def _wait_for(
    run: RunContext, prepared: PreparedCall, verdict: Verdict, *, kind: ApprovalKind
) -> PendingApproval:
    info = prepared.info
    pending = PendingApproval(
        call_id=info.call_id,
        name=info.name,
        arguments=info.arguments,
        title=info.title,
        kind=kind,
        reason=verdict.reason,
        risks=verdict.risks,
        decision_hash=fingerprint(info.name, info.arguments, run.principal, info.call_id, kind),
        timeout_seconds=verdict.timeout_seconds,
    )
    run.state.approvals[info.call_id] = pending
    return pending


async def _carry_out(
    run: RunContext,
    plan: RoundPlan,
    prepared: PreparedCall,
    pending: PendingApproval,
    entry: JournalEntry | None,
) -> ApprovalResolved | None:
    """Do what was decided. An approval is used once and only for the call it was given for."""
    decision = pending.decision
    assert decision is not None
    if entry is not None and entry.outcome is not None:
        plan.settled.append((prepared, entry.outcome))
        return None
    if entry is not None and prepared.runs_alone and _is_used_up(run, pending):
        _forget(run, pending.call_id)
        await _sort(run, plan, prepared, entry)
        return None
    if decision.resolution in ("rejected", "expired"):
        plan.settled.append((prepared, refusal(prepared, _refused(run, pending))))
    else:
        await _run_decided(run, plan, prepared, pending)
    if pending.call_id in run.state.resolved_ids:
        return None
    run.state.resolved_ids.append(pending.call_id)
    return ApprovalResolved(
        round=run.state.round,
        call_id=pending.call_id,
        resolution=decision.resolution,
        comment=decision.comment,
    )


def _is_used_up(run: RunContext, pending: PendingApproval) -> bool:
    """Whether the call was begun on this approval and interrupted: its outcome is unknown again.

    A recovery stands for a call that was begun anyway, so it counts as used once it was told.
    """
    return pending.kind == "call" or pending.call_id in run.state.resolved_ids


def _forget(run: RunContext, call_id: str) -> None:
    del run.state.approvals[call_id]
    for ids in (run.state.requested_ids, run.state.resolved_ids):
        if call_id in ids:
            ids.remove(call_id)


async def _run_decided(
    run: RunContext, plan: RoundPlan, prepared: PreparedCall, pending: PendingApproval
) -> None:
    decision = pending.decision
    assert decision is not None
    if decision.resolution == "edited":
        call = next(c for c in run.state.open_calls if c.call_id == pending.call_id)
        prepared = prepare(run, call, edited=decision.arguments or {})
    else:
        prepared = replace(prepared, info=replace(prepared.info, arguments=pending.arguments))
    if prepared.failure is not None:
        plan.settled.append((prepared, refusal(prepared, prepared.failure)))
        return
    verdict = await _verdict(run, prepared)
    if verdict.decision == "deny":
        plan.settled.append((prepared, refusal(prepared, _denied(verdict))))
        return
    plan.ready.append(prepared)


def request_events(run: RunContext, plan: RoundPlan) -> Iterator[AgentEvent]:
    """Yield the requests that were not told yet, each noted just before it is told."""
    for pending in plan.waiting:
        if pending.call_id not in run.state.requested_ids:
            run.state.requested_ids.append(pending.call_id)
            shown = pending.model_dump(exclude={"decision"})
            yield ApprovalRequested(round=run.state.round, **shown)


def _repeated(run: RunContext, prepared: PreparedCall) -> ToolFailed:
    times = run.limits.repeated_calls - 1
    message = (
        f"{prepared.info.name} was called {times} times with the same arguments already; the "
        "result would be the same. Use other arguments, another tool, or answer."
    )
    return ToolFailed(message, code="repeated_call")


def _denied(verdict: Verdict) -> ToolFailed:
    reason = f" {verdict.reason}" if verdict.reason else ""
    return ToolFailed(f"This call is not allowed here.{reason}", code="denied")


def _refused(run: RunContext, pending: PendingApproval) -> ToolFailed:
    decision = pending.decision
    assert decision is not None
    if decision.resolution == "expired":
        return ToolFailed(run.texts.call_expired, code="expired")
    comment = f" They said: {decision.comment}" if decision.comment else ""
    return ToolFailed(f"{run.texts.call_rejected}{comment}", code="rejected")
