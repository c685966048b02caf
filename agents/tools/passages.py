"""How passages are written for a model, and what the card of a search shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from agents.engine import context_blocks
from agents.engine.aliases import Aliases


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A chunk as a model reads it."""

    chunk_id: UUID
    document_id: UUID
    base_id: UUID
    document_name: str
    text: str
    heading_path: tuple[str, ...] = ()
    page_from: int | None = None
    page_to: int | None = None
    score: float | None = None
    is_wiki: bool = False
    """Whether it is of a page of the wiki."""


def write_passages(passages: Iterable[Passage], aliases: Aliases) -> str:
    """Return the passages as tagged blocks whose ids are aliases that can be cited."""
    return "\n\n".join(_write(passage, aliases) for passage in passages)


def _write(passage: Passage, aliases: Aliases) -> str:
    chunk = aliases.chunk(
        passage.chunk_id,
        document_id=passage.document_id,
        base_id=passage.base_id,
        title=passage.document_name,
        page=passage.page_from,
    )
    document = aliases.document(
        passage.document_id, base_id=passage.base_id, title=passage.document_name
    )
    return context_blocks.passage_block(
        context_blocks.Passage(
            alias=chunk,
            document_alias=document,
            name=passage.document_name,
            text=passage.text,
            page=passage.page_from,
            heading=" › ".join(passage.heading_path),
        )
    )


def card_of(passages: Iterable[Passage]) -> list[dict[str, Any]]:
    """Return what the tool's card lists: one entry a passage, best first."""
    return [
        {
            "chunk_id": str(passage.chunk_id),
            "document_id": str(passage.document_id),
            "base_id": str(passage.base_id),
            "name": passage.document_name,
            "page": passage.page_from,
            "heading": " › ".join(passage.heading_path),
            "excerpt": _excerpt(passage.text),
            "score": None if passage.score is None else round(passage.score, 3),
            **({"is_wiki": True} if passage.is_wiki else {}),
        }
        for passage in passages
    ]


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199].rstrip() + "…"
