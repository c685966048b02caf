"""Writes our messages and tools in the words of OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from providers.adapters.failures import as_text
from providers.contracts.chat import ChatMessage, ToolSpec


def to_wire_messages(
    messages: Sequence[ChatMessage], *, with_reasoning: bool = False
) -> list[dict[str, Any]]:
    """Return the messages as JSON objects.

    Args:
        messages: the conversation, oldest first.
        with_reasoning: whether the service wants its own earlier reasoning back (some refuse to go
            on after a tool call without it, others refuse the field).
    """
    return [_message(message, with_reasoning=with_reasoning) for message in messages]


def to_wire_tools(tools: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """Return the tools as JSON objects, in the order given."""
    return [{"type": "function", "function": tool.model_dump()} for tool in tools]


def _message(message: ChatMessage, *, with_reasoning: bool) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message.role, "content": _content(message)}
    if message.role == "tool":
        wire["tool_call_id"] = message.call_id or ""
    if message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": as_text(call.arguments)},
            }
            for call in message.tool_calls
        ]
        wire["content"] = wire["content"] or None
    if with_reasoning and message.reasoning:
        wire["reasoning_content"] = as_text(message.reasoning)
    return wire


def _content(message: ChatMessage) -> str | list[dict[str, Any]]:
    text = as_text(message.content)
    if not message.images:
        return text
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    for image in message.images:
        url = f"data:{image.media_type};base64,{image.data_base64}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts
