"""Arithmetic of the context window: when to compact, and where to cut."""

from __future__ import annotations

from collections.abc import Sequence

from agents.engine.history import cut_to_budget
from agents.engine.run_context import RunContext
from agents.engine.tokens import MessageCounter
from providers.contracts.chat import ChatMessage

MIN_RESERVE_TOKENS = 16_384
RESERVE_MARGIN_TOKENS = 4_096
RESULT_SHARE = 0.2
RESULT_TOKENS = (8_192, 32_768)
"""Least and most tokens that all tool results together may keep when they are shortened."""


def reserve_tokens(run: RunContext) -> int:
    """Return the room kept for the completion; never more than half of a small window."""
    completion = run.options.max_output_tokens or run.limits.max_output_tokens
    wanted = max(completion + RESERVE_MARGIN_TOKENS, MIN_RESERVE_TOKENS)
    return min(wanted, run.window_tokens // 2)


def usable_tokens(run: RunContext) -> int:
    """Return how many tokens the messages may take before they are compacted."""
    return run.window_tokens - reserve_tokens(run)


def keep_tokens(run: RunContext) -> int:
    """Return how many tokens of recent messages survive compaction."""
    return min(run.limits.keep_recent_tokens, usable_tokens(run) // 4)


def estimate_tokens(run: RunContext) -> int:
    """Return the size of the next call: the service's last figure plus what came since."""
    state = run.state
    baseline = state.baseline
    if baseline is not None and baseline.messages <= len(state.messages):
        added = state.messages[baseline.messages :]
        return baseline.tokens + sum(run.counter.message(message) for message in added)
    tools = sum(
        run.counter.text(f"{spec.name}{spec.description}{spec.parameters}")
        for spec in run.toolset.specs()
    )
    context = run.counter.text(state.runtime_context)
    return run.counter.messages(state.messages) + tools + context


def cut_point(
    messages: Sequence[ChatMessage], *, first: int, keep: int, counter: MessageCounter
) -> int:
    """Return the index from which messages are kept; `first` when all of them are.

    The kept end has about `keep` tokens, at least the last message, and never begins with a tool
    result: a call and its result stay on one side.
    """
    tokens = 0
    position = len(messages)
    while position > first:
        size = counter.message(messages[position - 1])
        if position < len(messages) and tokens + size > keep:
            break
        tokens += size
        position -= 1
    # Back to the call when results fit and their call does not: both are kept rather than split.
    while first < position < len(messages) and messages[position].role == "tool":
        position -= 1
    return position


def shorten_results(
    messages: Sequence[ChatMessage], *, budget: int, counter: MessageCounter
) -> list[ChatMessage]:
    """Return the messages with tool results cut until all of them fit; the newest keep most."""
    out = list(messages)
    left = budget
    for index in range(len(out) - 1, -1, -1):
        message = out[index]
        if message.role != "tool":
            continue
        size = counter.text(message.content)
        allowed = max(left, 100)
        if size > allowed:
            chars = max(200, len(message.content) * allowed // max(1, size))
            out[index] = message.model_copy(
                update={"content": cut_to_budget(message.content, chars)}
            )
            size = counter.text(out[index].content)
        left = max(0, left - size)
    return out


def result_budget_tokens(run: RunContext) -> int:
    """Return how many tokens shortened results may take together."""
    least, most = RESULT_TOKENS
    wanted = min(max(int(run.window_tokens * RESULT_SHARE), least), most)
    return min(wanted, usable_tokens(run) // 2)
