"""Messages as a model may read them: pure functions over conversations."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from providers.contracts.chat import ChatMessage

REDACTED_RESULT = (
    "[An earlier retrieval result was left out, because the knowledge may have changed since. "
    "Search again.]"
)
NO_RESULT = "[This call has no result.]"


def sanitise(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Return a conversation every vendor takes.

    Results without a call are dropped, calls without a result get one that says so, empty turns
    of the assistant vanish, and neighbouring messages of one person become one.
    """
    kept = _pair_results(messages)
    merged: list[ChatMessage] = []
    for message in kept:
        if _is_blank(message):
            continue
        if merged and _are_one(merged[-1], message):
            merged[-1] = _merge(merged[-1], message)
        else:
            merged.append(message)
    return merged


def _pair_results(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    out: list[ChatMessage] = []
    position = 0
    while position < len(messages):
        message = messages[position]
        position += 1
        if message.role == "tool":
            continue
        out.append(message)
        if not message.tool_calls:
            continue
        results = {}
        while position < len(messages) and messages[position].role == "tool":
            results[messages[position].call_id] = messages[position]
            position += 1
        for call in message.tool_calls:
            missing = ChatMessage(role="tool", content=NO_RESULT, call_id=call.call_id)
            out.append(results.get(call.call_id, missing))
    return out


def _is_blank(message: ChatMessage) -> bool:
    if message.role == "tool" or message.tool_calls or message.images:
        return False
    return not message.content.strip()


def _are_one(first: ChatMessage, second: ChatMessage) -> bool:
    plain = first.role == second.role and first.role in ("user", "assistant", "system")
    return plain and not first.tool_calls and not second.tool_calls


def _merge(first: ChatMessage, second: ChatMessage) -> ChatMessage:
    return first.model_copy(
        update={
            "content": "\n\n".join(part for part in (first.content, second.content) if part),
            "images": (*first.images, *second.images),
        }
    )


def redact_stale_results(
    messages: Sequence[ChatMessage], *, tool_names: Collection[str]
) -> list[ChatMessage]:
    """Return history without old results of these tools: the knowledge may have changed."""
    stale = {
        call.call_id
        for message in messages
        for call in message.tool_calls
        if call.name in tool_names
    }
    return [
        message.model_copy(update={"content": REDACTED_RESULT})
        if message.role == "tool" and message.call_id in stale
        else message
        for message in messages
    ]


def compact_results(messages: Sequence[ChatMessage], *, max_chars: int) -> list[ChatMessage]:
    """Return history in which long tool results are cut to their beginning and end."""
    return [
        message.model_copy(update={"content": cut_to_budget(message.content, max_chars)})
        if message.role == "tool" and len(message.content) > max_chars
        else message
        for message in messages
    ]


def cut_to_budget(text: str, max_chars: int, *, hint: str = "") -> str:
    """Return at most `max_chars`: 70 % from the head, 30 % from the tail, a mark between them."""
    if len(text) <= max_chars:
        return text
    mark = f"\n\n[… {len(text) - max_chars:,} or more characters left out here.{hint} …]\n\n"
    room = max(0, max_chars - len(mark))
    head = room * 7 // 10
    tail = room - head
    return (text[:head] + mark + (text[-tail:] if tail else ""))[:max_chars]
