"""A suggested question, where it comes from, and the hash under which a set is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from agents.memory.texts import key_of, one_line

QUESTION_CHARACTERS = 200
Source = Literal["curated", "knowledge", "generated"]


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """One question that is offered."""

    text: str
    source: Source
    category: str = ""
    document_ids: tuple[str, ...] = ()
    """What it was made from: shown only to who may still see all of them."""
    key: str = ""
    """Names it within its set, also over generations."""


def to_rows(questions: Sequence[Suggestion], *, generation: int) -> list[dict[str, Any]]:
    """Return the questions as a set stores them, each with its key."""
    return [
        {
            "key": f"g{generation}-{number}",
            "text": each.text,
            "source": each.source,
            "category": each.category,
            "document_ids": list(each.document_ids),
        }
        for number, each in enumerate(questions, 1)
    ]


def from_rows(rows: Iterable[dict[str, Any]]) -> list[Suggestion]:
    """Return the questions of a stored set."""
    return [
        Suggestion(
            key=row["key"],
            text=row["text"],
            source=row["source"],
            category=row.get("category", ""),
            document_ids=tuple(row.get("document_ids", ())),
        )
        for row in rows
    ]


def distinct(
    questions: Iterable[Suggestion], *, most: int, asked: Iterable[str] = ()
) -> list[Suggestion]:
    """Return the first questions that differ from one another and from those that were asked."""
    seen = {key_of(each[:QUESTION_CHARACTERS]) for each in asked}
    kept: list[Suggestion] = []
    for each in questions:
        text = one_line(each.text, limit=QUESTION_CHARACTERS)
        key = key_of(text)
        if key and key not in seen and len(kept) < most:
            seen.add(key)
            kept.append(
                Suggestion(
                    text=text,
                    source=each.source,
                    category=each.category,
                    document_ids=each.document_ids,
                )
            )
    return kept


def curated(items: Iterable[str]) -> list[Suggestion]:
    """Return the questions that people wrote."""
    return [Suggestion(text=text, source="curated") for text in items]


def hash_of(config: BaseModel, *others: object) -> str:
    """Return the hash of a configuration in force and of whatever else the questions hang on."""
    parts = [config.model_dump(mode="json"), *map(str, others)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
