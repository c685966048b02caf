"""Asks a model what of a person's lines is worth keeping, and believes only what it can check."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Literal
from xml.sax.saxutils import escape

from django.utils import timezone
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.constants import MemoryKind
from agents.memory.redaction import redact
from agents.models import MemoryItem, Message
from agents.prompts import agent_prompt
from agents.writing import Payer, write_json
from providers.contracts.errors import ModelError
from providers.models import AIModel

logger = logging.getLogger(__name__)
ITEMS_A_SEGMENT = 8
TOPICS_A_SEGMENT = 3
LINE_CHARACTERS = 2000
CANDIDATES = 15
_RELATIVE = re.compile(
    r"(?i)\b(?:today|tomorrow|yesterday|tonight|(?:next|last|this) (?:week|month|year|quarter"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b|\bin \d+ (?:days?|weeks?|months?)\b"
    r"|今天|明天|后天|後天|昨天|[上下]个?(?:周|月|星期)|明年|去年|今日|明日|昨日|来週|先週|来月|先月"
    r"|오늘|내일|어제|다음 ?(?:주|달)|지난 ?(?:주|달)"
)


class Found(BaseModel):
    """One thing that the model found worth keeping."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: MemoryKind
    text: str = Field(min_length=1, max_length=600)
    topic: str = Field(default="", max_length=200)
    importance: int = Field(default=3, ge=1, le=5)
    basis: Literal["stated", "inferred"] = "inferred"
    line: int = Field(ge=1)
    """Number of the line it was taken from."""
    expires: date | None = None

    @property
    def expires_at(self) -> datetime | None:
        """The end of the day on which it stops being true."""
        return (
            None if self.expires is None else datetime.combine(self.expires, time.max, tzinfo=UTC)
        )


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """What one stretch of lines gave."""

    items: tuple[Found, ...] = ()
    topics: tuple[str, ...] = ()


def extract(
    row: AIModel,
    payer: Payer,
    *,
    lines: Sequence[Message],
    known: Sequence[MemoryItem],
    wishes: str,
) -> Extraction:
    """Return what of the lines is worth keeping.

    Raises:
        ModelError: the call failed, or the answer is not what was asked for.
        ProjectError: a budget is spent, or the model is switched off.
    """
    instructions = agent_prompt("memory_extract").render(
        wishes=wishes.strip() or "(none)", today=timezone.now().strftime("%Y-%m-%d, %A")
    )
    answer = write_json(row, payer, instructions=instructions, material=_material(lines, known))
    return read_extraction(answer, lines=len(lines))


def read_extraction(answer: Any, *, lines: int) -> Extraction:
    """Take what is well-formed out of the model's answer.

    Raises:
        ModelError: the answer as a whole is of another shape.
    """
    if isinstance(answer, list):
        answer = {"items": answer}
    if not isinstance(answer, dict) or not isinstance(answer.get("items", []), list):
        raise ModelError(
            "bad_response", "The model answered in another form than it was asked for."
        )
    found = [item for each in answer.get("items", []) if (item := _read_item(each, lines))]
    topics = answer.get("topics") or []
    names = [each for each in topics if isinstance(each, str)] if isinstance(topics, list) else []
    return Extraction(items=tuple(found[:ITEMS_A_SEGMENT]), topics=tuple(names[:TOPICS_A_SEGMENT]))


def _read_item(values: Any, lines: int) -> Found | None:
    try:
        item = Found.model_validate(values)
    except ValidationError as error:
        logger.info("An item of the model was left out: %s problems", error.error_count())
        return None
    if item.line > lines or _RELATIVE.search(item.text):
        return None  # a date that moves with the day it is read is worse than none
    return item


def _material(lines: Sequence[Message], known: Sequence[MemoryItem]) -> str:
    kept = [f'<known kind="{item.kind}">{escape(item.text)}</known>' for item in known]
    said = [
        f'<line n="{number}" at="{line.created_at:%Y-%m-%d %H:%M, %A}">'
        f"{escape(redact(line.text[:LINE_CHARACTERS]).text)}</line>"
        for number, line in enumerate(lines, 1)
    ]
    return "\n".join(["<already_known>", *kept, "</already_known>", "<lines>", *said, "</lines>"])
