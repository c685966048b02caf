"""Analyse: what a turn without tool calls leads to."""

from __future__ import annotations

from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerReset,
    DegradedReason,
    RoundDegraded,
    RunReason,
)
from agents.engine.run_context import RunContext
from agents.engine.steps import Abort, Continue, Finish, Step
from agents.engine.texts import EMPTY_NUDGE, NO_TOOLS_NUDGE, UNFINISHED_NUDGE
from agents.engine.turns import Turn
from providers.contracts.chat import ChatMessage


def conclude(run: RunContext, turn: Turn) -> tuple[Step, list[AgentEvent]]:
    """Return the step and the events that go with it. The answer's text stands in the state."""
    run.state.round_open = False
    if turn.finish_reason == "content_filter":
        return _filtered(run)
    if not run.state.answer.strip():
        return _empty(run, turn)
    if turn.finish_reason == "length":
        detail = run.texts.answer_cut
        return _answered(run, turn, ended="output_limit", why="answer_cut", detail=detail)
    if turn.finish_reason is None:
        # Some services never say it, so the text stands; but it may be the half of an answer.
        return _stands_unfinished(run, turn)
    if turn.finish_reason == "other":
        return _unfinished(run, turn)
    run.state.messages.append(ChatMessage(role="assistant", content=turn.text))
    return Finish(outcome="answered", reason="natural_stop"), []


def _answered(
    run: RunContext, turn: Turn, *, ended: RunReason, why: DegradedReason, detail: str
) -> tuple[Step, list[AgentEvent]]:
    """Let the text stand although its end may be missing, and say so."""
    run.state.messages.append(ChatMessage(role="assistant", content=turn.text))
    degraded = RoundDegraded(round=run.state.round, reason=why, detail=detail)
    return Finish(outcome="answered", reason=ended, detail=detail), [degraded]


def _stands_unfinished(run: RunContext, turn: Turn) -> tuple[Step, list[AgentEvent]]:
    detail = run.texts.answer_unfinished
    return _answered(run, turn, ended="natural_stop", why="answer_unfinished", detail=detail)


def _filtered(run: RunContext) -> tuple[Step, list[AgentEvent]]:
    events: list[AgentEvent] = []
    detail = run.texts.content_filter_partly
    if not run.state.answer.strip():
        detail = run.texts.content_filter
        events.append(say(run, detail))
    return Finish(outcome="fallback", reason="content_filter", detail=detail), events


def _empty(run: RunContext, turn: Turn) -> tuple[Step, list[AgentEvent]]:
    """Ask again, twice; then answer from the results, or say that there is no answer."""
    state = run.state
    if state.empty_nudges < run.limits.empty_nudges:
        state.empty_nudges += 1
        nudge = NO_TOOLS_NUDGE if turn.calls or state.mode == "quick" else EMPTY_NUDGE
        state.messages.append(ChatMessage(role="user", content=nudge))
        return Continue(new_round=False), []
    detail = run.texts.empty_answer
    if state.has_results:
        abort = Abort(outcome="fallback", reason="empty_answer", detail=detail, ask_model=True)
        return abort, []
    return Finish(outcome="fallback", reason="empty_answer", detail=detail), [say(run, detail)]


def _unfinished(run: RunContext, turn: Turn) -> tuple[Step, list[AgentEvent]]:
    """Ask again once; the second text stands, be it the same or another one."""
    state = run.state
    if state.unfinished_text is None:
        state.unfinished_text = turn.text
        state.withdraw_answer()
        state.messages.append(ChatMessage(role="assistant", content=turn.text))
        state.messages.append(ChatMessage(role="user", content=UNFINISHED_NUDGE))
        return Continue(), [
            AnswerReset(reason="unfinished"),
            RoundDegraded(
                round=state.round,
                reason="answer_unfinished",
                detail=run.texts.answer_unfinished,
            ),
        ]
    if turn.text == state.unfinished_text:
        detail = run.texts.same_text_twice
        return Finish(outcome="answered", reason="same_text_twice", detail=detail), []
    return _stands_unfinished(run, turn)


def say(run: RunContext, text: str) -> AnswerDelta:
    """Add the engine's own words to the answer."""
    run.state.answer += text
    return AnswerDelta(text=text)
