"""Joins both searches: normalised likeness of meaning + weight × coverage by words.

Measured against reciprocal rank fusion, which is worse on every set and collapses when question and
passage differ in language (see docs/boundaries/retrieval.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

SMALLEST_SPAN = 0.05
"""Among few passages best and worst may be about equal; their difference is not blown up."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A passage that at least one of the searches named."""

    chunk_id: UUID
    document_id: UUID
    position: int
    identity: str | None
    """Which model's vector `dense_score` is about; None without a vector."""
    dense_score: float | None
    dense_rank: int | None
    keyword_rank: int | None
    keyword_score: float
    """Coverage: 0..1."""
    terms: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Span:
    """The cosines of the nearest passages by one model."""

    low: float
    high: float

    def normalise(self, score: float) -> float:
        """Return 1 for the nearest passage, 0 for the last of the near ones and all behind it."""
        width = max(self.high - self.low, SMALLEST_SPAN)
        return min(1.0, max(0.0, 1 + (score - self.high) / width))


@dataclass(frozen=True, kw_only=True)
class Ranked:
    """A candidate with the score that orders it."""

    candidate: Candidate
    score: float
    """0..1."""


def fuse(
    candidates: Iterable[Candidate], *, spans: Mapping[str, Span], keyword_weight: float
) -> list[Ranked]:
    """Return the candidates best first; equal ones in the order of document and position.

    Args:
        candidates: each passage once.
        spans: by identity, of that model's own nearest passages: models are not comparable.
        keyword_weight: of coverage, against 1 for meaning.
    """
    highest = 1 + keyword_weight
    ranked = [
        Ranked(
            candidate=each,
            score=(_meaning(each, spans) + keyword_weight * each.keyword_score) / highest,
        )
        for each in candidates
    ]
    return sorted(ranked, key=order_of)


def order_of(ranked: Ranked) -> tuple[float, str, int]:
    """Return the key that sorts best first and never leaves two passages equal."""
    candidate = ranked.candidate
    return -ranked.score, str(candidate.document_id), candidate.position


def _meaning(candidate: Candidate, spans: Mapping[str, Span]) -> float:
    span = spans.get(candidate.identity or "")
    if span is None or candidate.dense_score is None:
        return 0.0
    return span.normalise(candidate.dense_score)
