"""What a golden question expects to be found, and where that stands in the base now.

Passages are cut anew when a document is read again, so an expectation is found by the hash of the
passage, then by a snippet of its text. One that is found neither way is *gone*: it is told, and
never counted as a miss.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from accounts.access import Actor, visible
from knowledge.models import Chunk, Document
from knowledge.retrieval.hits import RetrievalHit
from knowledge.text.pictures import without_references

SNIPPET_CHARACTERS = 300
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]?")


class Expected(BaseModel):
    """One passage, or with neither hash nor snippet any passage of one document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document_id: UUID | None = None
    document_name: str = Field(default="", max_length=255)
    """As it was called when it was chosen."""
    chunk_hash: str = Field(default="", max_length=64)
    snippet: str = Field(default="", max_length=2_000)

    @property
    def is_whole_document(self) -> bool:
        """Whether any passage of the document will do."""
        return not (self.chunk_hash or self.snippet)


@dataclass(frozen=True, kw_only=True)
class Target:
    """An expectation as the base holds it now."""

    place: int
    """Among the expectations of its question, from 0."""
    document_id: UUID | None
    hashes: frozenset[str]
    """Of the passages that it is; empty for a whole document."""

    def is_met_by(self, hit: RetrievalHit) -> bool:
        """Say whether a hit is the expected passage."""
        if self.hashes:
            return hit.content_hash in self.hashes
        return hit.document_id == self.document_id


@dataclass(frozen=True, kw_only=True)
class Located:
    """The expectations of one question: those that are there, and the places of those that are not."""

    targets: tuple[Target, ...]
    gone: tuple[int, ...]


def read_expected(stored: Sequence[Any]) -> tuple[Expected, ...]:
    """Return stored expectations as values."""
    return tuple(Expected.model_validate(each) for each in stored)


def dump_expected(expected: Sequence[Expected]) -> list[dict[str, Any]]:
    """Return expectations as they are stored."""
    return [each.model_dump(mode="json") for each in expected]


def expected_of(chunk: Chunk) -> Expected:
    """Return the expectation that this passage is found; the chunk comes with its document."""
    return Expected(
        document_id=chunk.document_id,
        document_name=chunk.document.name,
        chunk_hash=chunk.content_hash,
        snippet=snippet_of(chunk.text),
    )


def snippet_of(text: str) -> str:
    """Return the longest sentence of a passage: where passages are cut anew, sentences stay whole."""
    plain = without_references(text)
    sentences = [" ".join(each.split()) for each in _SENTENCE.findall(plain)]
    longest = max(sentences, key=len, default="")
    return (longest or " ".join(plain.split()))[:SNIPPET_CHARACTERS]


def squeezed(text: str) -> str:
    """Return a text as snippets are compared: without case, every run of blanks one blank."""
    return " ".join(without_references(text).split()).casefold()


def locate(actor: Actor, base_id: UUID, expected: Sequence[Expected]) -> Located:
    """Find expectations among the passages of a base that can be found and that the actor sees."""
    rows = visible(
        actor,
        "view",
        Chunk.objects.filter(
            base_id=base_id, is_enabled=True, document__searchable_at__isnull=False
        ),
    )
    wanted = {each.chunk_hash for each in expected if each.chunk_hash}
    there = set(
        rows.filter(content_hash__in=wanted).order_by().values_list("content_hash", flat=True)
    )
    targets: list[Target] = []
    gone: list[int] = []
    for place, each in enumerate(expected):
        if each.chunk_hash in there:
            hashes = frozenset({each.chunk_hash})
        elif each.snippet:
            hashes = _holding(rows, each)
        else:
            hashes = frozenset()
        document_id = each.document_id if each.is_whole_document else None
        whole = document_id is not None and rows.filter(document_id=document_id).exists()
        if hashes or whole:
            targets.append(Target(place=place, document_id=each.document_id, hashes=hashes))
        else:
            gone.append(place)
    return Located(targets=tuple(targets), gone=tuple(gone))


def ranking_of(
    hits: Sequence[RetrievalHit], targets: Sequence[Target]
) -> tuple[list[str], list[int | None]]:
    """Return the ranking that is measured, and for each hit the place of what it meets.

    Each expectation counts once: a second passage that meets the same one is left out of the
    ranking, so that it neither helps nor harms.
    """
    ranked: list[str] = []
    places: list[int | None] = []
    for hit in hits:
        met = next((each.place for each in targets if each.is_met_by(hit)), None)
        places.append(met)
        key = f"wanted-{met}" if met is not None else str(hit.chunk_id)
        if key not in ranked:
            ranked.append(key)
    return ranked, places


def wanted_keys(targets: Sequence[Target]) -> set[str]:
    """Return what `ranking_of` calls the targets."""
    return {f"wanted-{each.place}" for each in targets}


def documents_named(expected: Sequence[Any]) -> set[UUID]:
    """Return the documents of stored expectations."""
    return {UUID(each["document_id"]) for each in expected if each.get("document_id")}


def _holding(rows: Any, expected: Expected) -> frozenset[str]:
    """Return the hashes of passages with the snippet: in its document, else anywhere in the base."""
    snippet = squeezed(expected.snippet)
    if not snippet:
        return frozenset()
    named = rows.order_by()
    if expected.document_id and Document.objects.filter(pk=expected.document_id).exists():
        named = named.filter(document_id=expected.document_id)
    else:
        first = max(snippet.split(), key=len)
        named = named.filter(text__icontains=first)
    return frozenset(
        content_hash
        for content_hash, text in named.values_list("content_hash", "text").iterator()
        if snippet in squeezed(text)
    )
