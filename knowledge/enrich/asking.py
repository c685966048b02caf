"""Asks the space's chat model something about a document, in a place for background work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import json_repair
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from accounts.access import Actor
from core.aio import LoopThread
from core.errors import Conflict, ProjectError
from core.jobs.interrupt import wait_interruptibly
from knowledge.batches.prices import cents_of
from knowledge.batches.spending import check_batch, spend
from knowledge.enrich.registry import Enriching
from providers.concurrency import background_slot
from providers.constants import ModelType
from providers.contracts.chat import ChatMessage, ChatModel, ChatOptions, ImagePart, Usage
from providers.contracts.errors import ModelError
from providers.metering import MeteredCall, count, refusal_for
from providers.models import AIModel
from providers.parameters import read_parameters
from providers.services.clients import background_places, get_chat_model
from providers.services.models import default_model
from providers.tokens import estimate_tokens

CALL_SECONDS = 180.0
PERSON_SECONDS = 60.0
"""For a call whose answer somebody waits for on a page."""
_loop = LoopThread("enrichment")
V = TypeVar("V", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What is asked of the model."""

    instructions: str
    material: str
    purpose: str
    """One word, for the usage page."""
    max_tokens: int
    images: tuple[ImagePart, ...] = ()
    """Pictures that the model looks at."""


def writing_model(space_id: int) -> AIModel:
    """Return the space's default chat model, if it can write texts of its own.

    Raises:
        ProjectError: there is none, or it only quotes; says what to do.
    """
    row = default_model(space_id, ModelType.CHAT)
    if read_parameters(row.parameters).extractive:
        raise Conflict(
            _(
                "The space’s chat model only quotes documents. Connect a language model under"
                " Models."
            )
        )
    return row


def no_model_reason(space_id: int) -> str:
    """Return why nothing can be written in this space; blank when it can."""
    try:
        writing_model(space_id)
    except ProjectError as reason:
        return reason.message
    return ""


def ask_text(enriching: Enriching, wish: Wish, *, row: AIModel | None = None) -> str:
    """Return the answer of a model, counted for the stage, its batch, and the usage page.

    `row` is the model; by default the one that writes in the space.

    Raises:
        ModelError: the call failed.
        ProjectError: a budget is spent, or the model is switched off or gone.
        BatchPaused, JobCancelled: the batch is at its cap; somebody stopped it.
    """
    document, context = enriching.document, enriching.context
    check_batch(document)
    if refusal := refusal_for(document.uploaded_by_id):
        raise Conflict(refusal)
    row = row or writing_model(document.space_id)
    with background_slot(
        str(row.pk), limit=background_places(row), cancelled=lambda: context.cancelled
    ):
        context.check()
        asked = _loop.submit(collect(get_chat_model(row), wish))
        text, usage = wait_interruptibly(asked, should_cancel=lambda: context.cancelled)
    _count(enriching, row, usage, wish)
    return text


def ask_value(enriching: Enriching, wish: Wish, kind: type[V]) -> V:
    """Return the model's answer as a value, mended where a bracket or a quote is missing.

    Raises:
        ModelError: the call failed, or ("bad_response") the answer is of another form.
        ProjectError, BatchPaused, JobCancelled: as for `ask_text`.
    """
    return value_of(ask_text(enriching, wish), kind)


def value_of(text: str, kind: type[V]) -> V:
    """Return an answer of a model as a value, mended where a bracket or a quote is missing.

    Raises:
        ModelError: ("bad_response") it is of another form.
    """
    begin = text.find("{")
    try:
        if begin < 0:
            raise ValueError("no JSON")
        return kind.model_validate(json_repair.loads(text[begin:].rsplit("```", 1)[0]))
    except (ValidationError, ValueError, RecursionError) as error:
        raise ModelError(
            "bad_response", _("The model answered in another form than it was asked for.")
        ) from error


def ask_for_person(actor: Actor, wish: Wish) -> str:
    """Return the answer of the space's writing model to a person who waits for it, counted for them.

    Raises:
        ModelError: the call failed, or took longer than `PERSON_SECONDS`.
        ProjectError: a budget is spent, or no model writes in the space.
    """
    if refusal := refusal_for(actor.user_id):
        raise Conflict(refusal)
    row = writing_model(actor.space_id)
    text, usage = _loop.submit(collect(get_chat_model(row), wish, seconds=PERSON_SECONDS)).result()
    count(
        MeteredCall(
            space_id=actor.space_id,
            user_id=actor.user_id,
            model=row,
            usage=usage,
            purpose=wish.purpose,
        )
    )
    return text


def _count(enriching: Enriching, row: AIModel, usage: Usage, wish: Wish) -> None:
    document, detail = enriching.document, enriching.report.row.detail
    enriching.report.note(
        model=row.name,
        calls=detail.get("calls", 0) + 1,
        tokens_in=detail.get("tokens_in", 0) + usage.input_tokens,
        tokens_out=detail.get("tokens_out", 0) + usage.output_tokens,
    )
    used = usage.input_tokens + usage.output_tokens
    spend(document, tokens=used, cents=cents_of(row, usage))
    count(
        MeteredCall(
            space_id=document.space_id,
            user_id=document.uploaded_by_id,
            model=row,
            usage=usage,
            purpose=wish.purpose,
        )
    )


async def collect(
    model: ChatModel, wish: Wish, *, seconds: float = CALL_SECONDS
) -> tuple[str, Usage]:
    """Return the whole answer of a model with its usage, estimated where the service never says."""
    messages: Sequence[ChatMessage] = (
        ChatMessage(role="system", content=wish.instructions),
        ChatMessage(role="user", content=wish.material, images=wish.images),
    )
    options = ChatOptions(
        temperature=0.2,
        max_output_tokens=wish.max_tokens,
        thinking=False,
        timeout_seconds=seconds,
        tool_choice="none",
    )
    pieces: list[str] = []
    usage: Usage | None = None
    async for chunk in model.stream(messages, options=options):
        pieces.append(chunk.text)
        usage = chunk.usage or usage
    text = "".join(pieces)
    if usage is None:
        asked = estimate_tokens(wish.instructions) + estimate_tokens(wish.material)
        usage = Usage(input_tokens=asked, output_tokens=estimate_tokens(text))
    return text, usage
