"""Asks a model for building: several wishes at once, each answer whole and of the wanted form, or none.

An answer that was cut off or is no JSON never goes further: it is asked for once more, and is an
error then. Nothing here mends what a model wrote: a mended half is a half still.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, TypeVar

from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from core.aio import LoopThread
from core.errors import Conflict, ProjectError
from core.jobs.handlers import JobContext
from core.jobs.interrupt import wait_interruptibly
from knowledge.batches.prices import cents_of
from knowledge.enrich.asking import Wish, writing_model
from providers.concurrency import WAIT_SECONDS, background_slot
from providers.contracts.chat import ChatMessage, ChatModel, ChatOptions, FinishReason, Usage
from providers.contracts.errors import ModelError
from providers.metering import MeteredCall, count, refusal_for
from providers.models import AIModel
from providers.parameters import read_parameters
from providers.services.clients import background_places, get_chat_model
from providers.tokens import estimate_tokens
from wiki.models import WikiSettings
from wiki.prompts import wiki_prompt

PURPOSE: Final = "wiki"
CALL_SECONDS: Final = 300.0
TRIES: Final = 3
PAUSE_SECONDS: Final = 2.0
"""Before the second try of a call that a service failed; then twice as long."""
RATE_LIMIT_SECONDS: Final = 60.0
_SHOWN_ANSWER: Final = 1_500
_loop = LoopThread("wiki-building")
V = TypeVar("V", bound=BaseModel)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a model said to one wish."""

    text: str = ""
    finish: FinishReason | None = None
    usage: Usage = Usage()
    error: ModelError | None = None


class Asker(Protocol):
    """Answers wishes, several at once, in their order."""

    def ask_all(self, wishes: Sequence[Wish], *, parallel: int) -> list[Answer]:
        """Return an answer to each wish; failed calls are answers with an error."""
        ...


@dataclass(kw_only=True)
class ModelAsker:
    """Asks a chat model of the space, counted for the usage page and the build."""

    context: JobContext
    row: AIModel
    user_id: int | None
    spent: Callable[[int, int, float], None]
    """Told after each call: tokens in, tokens out, cents."""

    def ask_all(self, wishes: Sequence[Wish], *, parallel: int) -> list[Answer]:
        """Return an answer to each wish.

        Raises:
            Conflict: a budget is spent.
            JobCancelled: somebody stopped it.
        """
        if not wishes:
            return []
        if refusal := refusal_for(self.user_id):
            raise Conflict(refusal)
        with ExitStack() as places:
            at_once = self._take_places(places, min(parallel, len(wishes)))
            self.context.check()
            asked = _loop.submit(_ask_all(get_chat_model(self.row), wishes, at_once))
            answers = wait_interruptibly(asked, should_cancel=lambda: self.context.cancelled)
        for wish, answer in zip(wishes, answers, strict=True):
            self._count(wish, answer.usage)
        return answers

    def _take_places(self, places: ExitStack, wanted: int) -> int:
        """Wait for one of the model's places in the background; take more as far as they are free."""
        limit = background_places(self.row)
        for number in range(max(1, min(wanted, limit))):
            place = background_slot(
                str(self.row.pk),
                limit=limit,
                wait_seconds=WAIT_SECONDS if number == 0 else 0.0,
                cancelled=lambda: self.context.cancelled,
            )
            try:
                places.enter_context(place)
            except ModelError:
                if number == 0:
                    raise
                return number
        return max(1, min(wanted, limit))

    def _count(self, wish: Wish, usage: Usage) -> None:
        if not usage.input_tokens and not usage.output_tokens:
            return
        self.spent(usage.input_tokens, usage.output_tokens, float(cents_of(self.row, usage)))
        count(
            MeteredCall(
                space_id=self.context.space_id,
                user_id=self.user_id,
                model=self.row,
                usage=usage,
                purpose=wish.purpose,
            )
        )


def model_of(settings: WikiSettings) -> AIModel:
    """Return the model that writes a base's pages.

    Raises:
        ProjectError: there is none that writes; says what to do.
    """
    row = settings.model
    if row is None:
        return writing_model(settings.space_id)
    if read_parameters(row.parameters).extractive:
        raise Conflict(
            _(
                "The model of this wiki only quotes documents. Choose a language model in its settings."
            )
        )
    return row


def why_no_model(settings: WikiSettings) -> str:
    """Return why no model can write pages here; blank when one can."""
    try:
        model_of(settings)
    except ProjectError as reason:
        return reason.message
    return ""


def ask_values(
    asker: Asker, wishes: Sequence[Wish], kind: type[V], *, parallel: int
) -> list[V | ModelError]:
    """Return the value of each answer, asked for once more where it has another form, or the error.

    Raises:
        ModelError: ("rate_limited", "auth", "not_found", "unreachable") what says nothing about one
            wish, and would meet the next ones, too.
        Conflict, JobCancelled: as the asker has it.
    """
    found: list[V | ModelError] = [
        _value(answer, kind) for answer in asker.ask_all(wishes, parallel=parallel)
    ]
    again = [number for number, each in enumerate(found) if isinstance(each, _Unusable)]
    if again:
        repaired = asker.ask_all(
            [_once_more(wishes[number], found[number]) for number in again], parallel=parallel
        )
        for number, answer in zip(again, repaired, strict=True):
            found[number] = _value(answer, kind)
    return found


def read_value(text: str, finish: FinishReason | None, kind: type[V]) -> V:
    """Return an answer as a value.

    Raises:
        ModelError: ("bad_response") it was cut off, is no JSON, or of another form.
    """
    if finish != "stop":
        raise _Unusable(text, _("The model's answer was cut off."))
    plain = text.strip()
    if plain.startswith("```"):
        plain = plain.split("\n", 1)[-1].strip().removesuffix("```")
    begin = plain.find("{")
    try:
        if begin < 0:
            raise ValueError("no JSON")
        return kind.model_validate(_strictly(plain[begin:]))
    except (ValidationError, ValueError, RecursionError) as error:
        raise _Unusable(
            text, _("The model answered in another form than it was asked for.")
        ) from error


class _Unusable(ModelError):
    """An answer that may be asked for again."""

    def __init__(self, text: str, message: str) -> None:
        super().__init__("bad_response", message)
        self.text = text


def _strictly(text: str) -> Any:
    value, end = json.JSONDecoder().raw_decode(text)
    if text[end:].strip().strip("`").strip():
        raise ValueError("something follows the JSON")
    return value


def _value(answer: Answer, kind: type[V]) -> V | ModelError:
    if answer.error is not None:
        if answer.error.kind in ("rate_limited", "auth", "not_found", "unreachable"):
            raise answer.error
        return answer.error
    try:
        return read_value(answer.text, answer.finish, kind)
    except ModelError as error:
        return error


def _once_more(wish: Wish, failed: object) -> Wish:
    shown = failed.text[:_SHOWN_ANSWER] if isinstance(failed, _Unusable) else ""
    again = wiki_prompt("again").render(answer=shown)
    return replace(wish, material=f"{wish.material}\n\n{again}")


async def _ask_all(model: ChatModel, wishes: Sequence[Wish], at_once: int) -> list[Answer]:
    places = asyncio.Semaphore(at_once)

    async def one(wish: Wish) -> Answer:
        async with places:
            return await _ask_patiently(model, wish)

    return list(await asyncio.gather(*(one(wish) for wish in wishes)))


async def _ask_patiently(model: ChatModel, wish: Wish) -> Answer:
    """Ask, and again when the service failed in a way that passes; never against a rate limit."""
    for number in range(TRIES):
        try:
            return await _ask(model, wish)
        except ModelError as error:
            if not error.retry or error.kind == "rate_limited" or number == TRIES - 1:
                return Answer(error=error)
        await asyncio.sleep(PAUSE_SECONDS * 2**number)
    raise AssertionError("unreachable")


async def _ask(model: ChatModel, wish: Wish) -> Answer:
    messages = (
        ChatMessage(role="system", content=wish.instructions),
        ChatMessage(role="user", content=wish.material),
    )
    options = ChatOptions(
        temperature=0.1,
        max_output_tokens=wish.max_tokens,
        thinking=False,
        timeout_seconds=CALL_SECONDS,
        tool_choice="none",
    )
    pieces: list[str] = []
    usage: Usage | None = None
    finish: FinishReason | None = None
    async for chunk in model.stream(messages, options=options):
        pieces.append(chunk.text)
        usage = chunk.usage or usage
        finish = chunk.finish_reason or finish
    text = "".join(pieces)
    if usage is None:
        asked = estimate_tokens(wish.instructions) + estimate_tokens(wish.material)
        usage = Usage(input_tokens=asked, output_tokens=estimate_tokens(text))
    return Answer(text=text, finish=finish, usage=usage)
