"""Puts the answerer's reply into the shapes of OpenAI's chat completions, whole or streamed."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Iterator
from typing import Any

from providers.local.extractive.answerer import Reply
from providers.local.extractive.calls import ToolCall
from providers.local.protocol import ChatRequest

_PIECE = re.compile(r"\s*\S+(?:\s+\S+){0,3}|\s+")
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ud7ff\uf900-\ufaff]")
_WIDE_PIECE_CHARACTERS = 12


def completion_body(request: ChatRequest, reply: Reply) -> dict[str, Any]:
    """Return the reply as one object."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.call:
        message["tool_calls"] = [_tool_call(reply.call)]
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": reply.finish_reason,
        "logprobs": None,
    }
    return {
        **_envelope(request, "chat.completion"),
        "choices": [choice],
        "usage": _usage(request, reply),
    }


def completion_chunks(request: ChatRequest, reply: Reply) -> Iterator[dict[str, Any]]:
    """Yield the reply in pieces, as a language model would stream it."""
    envelope = _envelope(request, "chat.completion.chunk")
    for delta in _deltas(reply):
        yield {**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    last = {"index": 0, "delta": {}, "finish_reason": reply.finish_reason}
    yield {**envelope, "choices": [last]}
    if request.include_usage:
        yield {**envelope, "choices": [], "usage": _usage(request, reply)}


def estimate_tokens(text: str) -> int:
    """Estimate tokens: a wide character is about one, four others are about one."""
    wide = len(_WIDE.findall(text))
    return wide + (len(text) - wide + 3) // 4


def _deltas(reply: Reply) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for piece in _PIECE.findall(reply.text):
        if len(piece) <= 2 * _WIDE_PIECE_CHARACTERS or not _WIDE.search(piece):
            yield {"content": piece}
            continue
        for start in range(0, len(piece), _WIDE_PIECE_CHARACTERS):
            yield {"content": piece[start : start + _WIDE_PIECE_CHARACTERS]}
    if reply.call:
        call = _tool_call(reply.call)
        opening = {**call, "index": 0, "function": {"name": reply.call.name, "arguments": ""}}
        yield {"tool_calls": [opening]}
        yield {"tool_calls": [{"index": 0, "function": {"arguments": reply.call.arguments}}]}


def _tool_call(call: ToolCall) -> dict[str, Any]:
    return {
        "id": f"call_{uuid.uuid4().hex[:24]}",
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _envelope(request: ChatRequest, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex[:24]}",
        "object": kind,
        "created": int(time.time()),
        "model": request.model,
    }


def _usage(request: ChatRequest, reply: Reply) -> dict[str, int]:
    sent = sum(estimate_tokens(turn.text) for turn in request.turns)
    made = estimate_tokens(reply.text or (reply.call.arguments if reply.call else ""))
    return {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made}
