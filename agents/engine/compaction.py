"""Keeping a long run inside of the model's window.

Older messages become a structured summary that stands, marked, behind the system prompt. What is
recent stays word by word, and so does the question. A summary that cannot be made is replaced by
the raw text in short form and marked degraded. Only then tool results are shortened.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from agents.engine.events import AgentEvent, ContextCompacted, RoundDegraded, UsageReported
from agents.engine.fileops import collect_files, without_file_lists
from agents.engine.history import cut_to_budget
from agents.engine.run_context import RunContext
from agents.engine.thinking import ModelCall, ask_model
from agents.engine.turns import Turn
from agents.engine.window import (
    cut_point,
    estimate_tokens,
    keep_tokens,
    reserve_tokens,
    result_budget_tokens,
    shorten_results,
    usable_tokens,
)
from providers.contracts.chat import ChatMessage
from providers.contracts.errors import ModelError

Why = Literal["threshold", "overflow"]
SUMMARY_OPEN = "<conversation_summary>"
SUMMARY_CLOSE = "</conversation_summary>"
MIN_GAIN = 0.05
_RESULT_CHARS_IN_TRANSCRIPT = 2_000


@dataclass(frozen=True, kw_only=True)
class _Cut:
    """Where the conversation is divided."""

    first: int
    """Index of the first message behind the system prompt and an earlier summary."""
    keep_from: int
    splits_turn: bool


async def fit_window(run: RunContext, *, reason: Why) -> AsyncGenerator[AgentEvent, None]:
    """Compact when the window asks for it (or has overflowed); yield what was done."""
    before_tokens = estimate_tokens(run)
    if reason == "threshold" and before_tokens <= usable_tokens(run):
        return
    if reason == "overflow" or run.state.compaction_futile_at != len(run.state.messages):
        async with aclosing(_compact(run, reason=reason, before_tokens=before_tokens)) as events:
            async for event in events:
                yield event
    if estimate_tokens(run) > usable_tokens(run) or _compacted_nothing(run, reason):
        for event in _shorten(run):
            yield event


def _compacted_nothing(run: RunContext, reason: Why) -> bool:
    # The service says that it was too much, whatever our own count says.
    return reason == "overflow" and run.state.compaction_futile_at == len(run.state.messages)


async def _compact(
    run: RunContext, *, reason: Why, before_tokens: int
) -> AsyncGenerator[AgentEvent, None]:
    state = run.state
    cut = _divide(run)
    old = state.messages[cut.first : cut.keep_from]
    if not old or (len(old) == 1 and cut.first == state.question_at):
        state.compaction_futile_at = len(state.messages)
        return
    summary, degraded = "", False
    async with aclosing(_summarise(run, old)) as items:
        async for item in items:
            if isinstance(item, str):
                summary = item
            else:
                yield item
    if not summary:
        summary, degraded = _archive(run, old), True
        detail = run.texts.summary_failed
        yield RoundDegraded(round=state.round, reason="summary_failed", detail=detail)
    before_messages = len(state.messages)
    _replace(run, cut, summary)
    after_tokens = estimate_tokens(run)
    if after_tokens > before_tokens * (1 - MIN_GAIN):
        state.compaction_futile_at = len(state.messages)
    yield ContextCompacted(
        round=state.round,
        reason=reason,
        before_tokens=before_tokens,
        after_tokens=after_tokens,
        before_messages=before_messages,
        after_messages=len(state.messages),
        split_turn=cut.splits_turn,
        degraded=degraded,
    )


def _divide(run: RunContext) -> _Cut:
    state = run.state
    first = 0
    while first < len(state.messages) and state.messages[first].role == "system":
        first += 1
    if state.summary and first < len(state.messages) and _is_summary(state.messages[first]):
        first += 1
    keep_from = cut_point(state.messages, first=first, keep=keep_tokens(run), counter=run.counter)
    return _Cut(first=first, keep_from=keep_from, splits_turn=state.question_at < keep_from - 1)


def _is_summary(message: ChatMessage) -> bool:
    return message.role == "user" and message.content.startswith(SUMMARY_OPEN)


def _replace(run: RunContext, cut: _Cut, summary: str) -> None:
    """Put the summary in the place of the old messages."""
    state = run.state
    old = state.messages[cut.first : cut.keep_from]
    files = collect_files(old, previous_summary=state.summary).as_text()
    state.summary = "\n".join(part for part in (without_file_lists(summary), files) if part)
    system = [message for message in state.messages[: cut.first] if not _is_summary(message)]
    told = f"{SUMMARY_OPEN}\n{state.summary}\n{SUMMARY_CLOSE}"
    question = state.messages[state.question_at]
    kept = state.messages[cut.keep_from :]
    if state.question_at < cut.keep_from:
        kept = [question, *kept]
        state.question_at = len(system) + 1
    else:
        state.question_at += len(system) + 1 - cut.keep_from
    state.messages = [*system, ChatMessage(role="user", content=told), *kept]
    state.baseline = None


async def _summarise(
    run: RunContext, old: Sequence[ChatMessage]
) -> AsyncGenerator[UsageReported | str, None]:
    """Yield the usage of each attempt and, when one works, the summary."""
    call = ModelCall(messages=_summary_request(run, old), purpose="summary", thinking=False)
    for _ in range(run.limits.summary_attempts):
        text = ""
        answer, citations = run.state.answer, list(run.state.citations)
        try:
            async with aclosing(ask_model(run, call)) as items:
                async for item in items:
                    if isinstance(item, Turn):
                        text = "" if item.calls else item.text
                    elif isinstance(item, UsageReported):
                        yield item
        except ModelError:
            text = ""
        finally:
            # A summary is no answer: nothing of what it said may be shown.
            run.state.answer, run.state.citations[:] = answer, citations
        if text.strip():
            yield text.strip()
            return


def _summary_request(run: RunContext, old: Sequence[ChatMessage]) -> list[ChatMessage]:
    state = run.state
    previous = without_file_lists(state.summary)
    instructions = run.prompts.summary_update if previous else run.prompts.summary
    # Half of the window in characters is at most half of it in tokens, whatever the script.
    transcript = cut_to_budget(_transcript(old), max(4_000, run.window_tokens // 2))
    parts = [f"<conversation>\n{transcript}\n</conversation>"]
    if previous:
        parts.insert(0, f"<previous_summary>\n{previous}\n</previous_summary>")
    return state.aliases.encode_messages(
        [
            ChatMessage(role="system", content=instructions),
            ChatMessage(role="user", content="\n\n".join(parts)),
        ]
    )


def _transcript(messages: Sequence[ChatMessage]) -> str:
    lines = []
    for message in messages:
        content = message.content
        if message.role == "tool":
            content = cut_to_budget(content, _RESULT_CHARS_IN_TRANSCRIPT)
        if content.strip():
            lines.append(f"[{message.role}] {content}")
        lines += [f"[call] {call.name} {call.arguments}" for call in message.tool_calls]
    return "\n".join(lines)


def _archive(run: RunContext, old: Sequence[ChatMessage]) -> str:
    """Return the raw text in short form, for when no summary can be had."""
    previous = without_file_lists(run.state.summary)
    room = max(1_000, min(reserve_tokens(run), keep_tokens(run)) // 2)
    parts = (cut_to_budget(previous, room), cut_to_budget(_transcript(old), room))
    return "\n".join(part for part in parts if part)


def _shorten(run: RunContext) -> list[AgentEvent]:
    """Cut tool results, as the last resort."""
    state = run.state
    shortened = shorten_results(
        state.messages, budget=result_budget_tokens(run), counter=run.counter
    )
    if shortened == state.messages:
        return []
    state.messages = shortened
    state.baseline = None
    detail = run.texts.results_shortened
    return [RoundDegraded(round=state.round, reason="results_shortened", detail=detail)]
