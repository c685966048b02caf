"""Lets the space's chat model write something small in a background job: JSON in, values out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import json_repair
from django.utils.translation import gettext as _

from agents.spending.gate import refusal_for
from agents.spending.metering import meter
from core.aio import LoopThread
from core.errors import Conflict, ProjectError
from providers.constants import ModelType
from providers.contracts.chat import ChatMessage, ChatModel, ChatOptions, Usage
from providers.contracts.errors import ModelError
from providers.models import AIModel
from providers.parameters import read_parameters
from providers.services.clients import get_chat_model
from providers.services.models import default_model

CALL_SECONDS = 60.0
_loop = LoopThread("writing")


def writing_model(space_id: int, row: AIModel | None = None) -> AIModel:
    """Return `row`, or the space's default chat model, if it can write texts of its own.

    Raises:
        ProjectError: there is none, or it only quotes documents; says what to do.
    """
    row = row or default_model(space_id, ModelType.CHAT)
    if read_parameters(row.parameters).extractive:
        raise Conflict(
            _("The chat model only quotes documents. Connect a language model for this first.")
        )
    return row


def no_model_reason(space_id: int) -> str:
    """Return why nothing can be written by a model in this space; empty when it can."""
    try:
        writing_model(space_id)
    except ProjectError as reason:
        return reason.message
    return ""


@dataclass(frozen=True, kw_only=True)
class Payer:
    """For whom a model is asked, and what for: budgets and the usage page go by it."""

    space_id: int
    user_id: int | None
    purpose: str
    """One word."""
    agent_id: UUID | None = None


def write_json(
    row: AIModel, payer: Payer, *, instructions: str, material: str, max_tokens: int = 1500
) -> Any:
    """Ask a model for JSON and return it, mended where a bracket or a quote is missing.

    Raises:
        ModelError: the call failed, or the answer holds no JSON.
        ProjectError: a budget is spent, or the model is switched off or gone.
    """
    refusal = refusal_for(agent_id=payer.agent_id, user_id=payer.user_id)
    if refusal:
        raise Conflict(refusal)
    messages = (
        ChatMessage(role="system", content=instructions),
        ChatMessage(role="user", content=material),
    )
    options = ChatOptions(
        temperature=0.2,
        max_output_tokens=max_tokens,
        thinking=False,
        timeout_seconds=CALL_SECONDS,
        tool_choice="none",
    )
    text, usage = _loop.submit(_collect(get_chat_model(row), messages, options)).result()
    meter(
        space_id=payer.space_id,
        user_id=payer.user_id,
        agent_id=payer.agent_id,
        model=row,
        usage=usage,
        purpose=payer.purpose,
    )
    return _json_of(text)


async def _collect(
    model: ChatModel, messages: Sequence[ChatMessage], options: ChatOptions
) -> tuple[str, Usage]:
    pieces: list[str] = []
    usage = Usage()
    async for chunk in model.stream(messages, options=options):
        pieces.append(chunk.text)
        usage = chunk.usage or usage
    return "".join(pieces), usage


def _json_of(text: str) -> Any:
    begin = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if begin < 0:
        raise ModelError("bad_response", "The model answered without the JSON it was asked for.")
    return json_repair.loads(text[begin:].rsplit("```", 1)[0])
