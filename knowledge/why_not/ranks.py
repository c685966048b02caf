"""Where a passage stands that neither search named: both are asked again, as deep as it takes."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from knowledge.retrieval.dense import QueryVector, search_dense
from knowledge.retrieval.keyword import WeighedTerms, search_keywords, terms_of
from knowledge.retrieval.scope import Searched

DEEPEST = 50_000
"""Ranks behind it are told as "behind": nobody raises a limit so far."""


@dataclass(frozen=True, kw_only=True)
class Ranks:
    """A passage's places. None: it is not among the first `DEEPEST`, or has nothing to compare."""

    dense: int | None
    dense_score: float | None
    keyword: int | None
    """None, too, when it has none of the rarest terms, by which candidates are found."""
    coverage: float
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    """The question's terms that it lacks."""


def ranks_of(
    where: Searched, chunk_id: UUID, *, vectors: tuple[QueryVector, ...], terms: WeighedTerms
) -> Ranks:
    """Return the places of one permitted passage, every vector compared."""
    hit = next(
        (
            hit
            for vector in vectors
            for hit in search_dense(where, vector, limit=DEEPEST, exact=True)
            if hit.chunk_id == chunk_id
        ),
        None,
    )
    ordered = search_keywords(where, terms, limit=DEEPEST)
    have = terms_of([chunk_id]).get(chunk_id, frozenset())
    matched = terms.matched(have)
    return Ranks(
        dense=hit.rank if hit else None,
        dense_score=hit.score if hit else None,
        keyword=ordered.index(chunk_id) + 1 if chunk_id in ordered else None,
        coverage=terms.coverage(have),
        matched=matched,
        missing=tuple(each.term for each in terms.terms if each.term not in matched),
    )
