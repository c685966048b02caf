"""Near-duplicates leave the list; what is read with a passage: its section, or its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from knowledge.constants import ChunkKind
from knowledge.models import Chunk
from knowledge.retrieval.fuse import Candidate, Ranked
from knowledge.retrieval.scope import Searched

NEAR_DUPLICATE = 0.85
"""Share of terms in common (of all that either has)."""
FEWEST_TERMS = 8
"""Shorter passages are only compared by their hash."""
SHORT_CHARACTERS = 350
CONTEXT_CHARACTERS = 850


@dataclass(frozen=True, kw_only=True)
class Duplicate:
    """A candidate that says what a better one says already."""

    ranked: Ranked
    of: UUID
    reason: str


def drop_duplicates(
    ranked: Sequence[Ranked], hashes: Mapping[UUID, str], *, question_terms: frozenset[str]
) -> tuple[list[Ranked], list[Duplicate]]:
    """Divide the candidates into those that stay and the duplicates of these.

    A passage with another number, or with a term of the question that the better one lacks, is no
    duplicate: two rows of a form differ in just that.
    """
    kept: list[Ranked] = []
    dropped: list[Duplicate] = []
    by_hash: dict[str, UUID] = {}
    for each in ranked:
        chunk_id = each.candidate.chunk_id
        same = by_hash.get(hashes[chunk_id])
        if same is not None:
            dropped.append(Duplicate(ranked=each, of=same, reason="It has the same text."))
            continue
        alike = next((k for k in kept if _alike(each.candidate, k.candidate, question_terms)), None)
        if alike is not None:
            reason = f"At least {NEAR_DUPLICATE:.0%} of its words are in a better passage."
            dropped.append(Duplicate(ranked=each, of=alike.candidate.chunk_id, reason=reason))
            continue
        by_hash[hashes[chunk_id]] = chunk_id
        kept.append(each)
    return kept, dropped


def read_contexts(
    where: Searched, chunks: Sequence[Chunk], *, neighbours: int = 1
) -> dict[UUID, str]:
    """Return what is read in place of passages that are too small to be understood alone.

    A part of a section hands over the section: the best part of it alone does, for nobody reads the
    same twice. Other short passages come with so many permitted neighbours on each side, up to
    `CONTEXT_CHARACTERS` in all. Only text has either: what stands beside an answer answers something else.
    """
    texts = [chunk for chunk in chunks if chunk.kind == ChunkKind.TEXT]
    contexts = _sections(where, texts)
    alone = [chunk for chunk in texts if chunk.parent_id is None]
    return contexts | (_neighbourhoods(where, alone, neighbours) if neighbours else {})


def _sections(where: Searched, chunks: Sequence[Chunk]) -> dict[UUID, str]:
    """Return the section of each chunk that is the best of its section."""
    best: dict[UUID, UUID] = {}
    for chunk in chunks:
        if chunk.parent_id is not None:
            best.setdefault(chunk.parent_id, chunk.pk)
    if not best:
        return {}
    rows = where.chunks.filter(pk__in=best, kind=ChunkKind.PARENT)
    return {best[parent_id]: text for parent_id, text in rows.values_list("pk", "text")}


def _neighbourhoods(where: Searched, chunks: Sequence[Chunk], reach: int) -> dict[UUID, str]:
    """Return each short passage with the passages beside it."""
    short = [chunk for chunk in chunks if len(chunk.text) < SHORT_CHARACTERS]
    if not short:
        return {}
    around = Q()
    for chunk in short:
        near = range(chunk.position - reach, chunk.position + reach + 1)
        around |= Q(document_id=chunk.document_id, position__in=list(near))
    neighbours = {
        (chunk.document_id, chunk.position): chunk.text
        for chunk in where.chunks.filter(around, kind=ChunkKind.TEXT)
    }
    return {chunk.pk: _with_neighbours(chunk, neighbours, reach) for chunk in short}


def _with_neighbours(chunk: Chunk, neighbours: Mapping[tuple[UUID, int], str], reach: int) -> str:
    """Add the nearest first; a side ends at what is missing or would be too long."""
    context = chunk.text
    is_open = {1: True, -1: True}
    for distance in range(1, reach + 1):
        for side in (1, -1):
            beside = neighbours.get((chunk.document_id, chunk.position + side * distance), "")
            is_open[side] &= bool(beside) and len(context) + len(beside) <= CONTEXT_CHARACTERS
            if is_open[side]:
                pair = (context, beside) if side == 1 else (beside, context)
                context = "\n\n".join(pair)
    return context


def _alike(one: Candidate, better: Candidate, question_terms: frozenset[str]) -> bool:
    if min(len(one.terms), len(better.terms)) < FEWEST_TERMS:
        return False
    common = len(one.terms & better.terms)
    if common < NEAR_DUPLICATE * len(one.terms | better.terms):
        return False
    own = one.terms - better.terms
    return not (own & question_terms) and not any(
        character.isdigit() for term in own for character in term
    )
