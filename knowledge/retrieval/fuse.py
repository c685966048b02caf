"""Joins the lists of all searches into one, with scores from 0 to 1.

* `coverage`: normalised likeness of meaning + weight × coverage by words. Measured against the
  others, which are worse on every set; reciprocal rank fusion collapses when question and passage
  differ in language (see docs/boundaries/retrieval.md).
* `rrf`: reciprocal ranks, as a share of what the first place in every list would have.
* `best`: the best of the normalised scores.
* `dense`, `keyword`: one list alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never
from uuid import UUID

from knowledge.base_settings import RetrievalOptions
from knowledge.retrieval.hits import Engine

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
    graph_rank: int | None = None
    graph_score: float | None = None
    """0..1."""
    below: frozenset[Engine] = frozenset()
    """The engines whose threshold it misses: they do not name it."""

    @property
    def named_by(self) -> frozenset[Engine]:
        """Return the engines in whose lists it is."""
        ranks: dict[Engine, int | None] = {
            "dense": self.dense_rank,
            "keyword": self.keyword_rank,
            "graph": self.graph_rank,
        }
        return frozenset(name for name, rank in ranks.items() if rank is not None)


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
    candidates: Iterable[Candidate], *, spans: Mapping[str, Span], options: RetrievalOptions
) -> list[Ranked]:
    """Return the candidates best first; equal ones in the order of document and position.

    Args:
        candidates: each passage once.
        spans: by identity, of that model's own nearest passages: models are not comparable.
        options: the kind of fusion, and how much words and graph count against 1 for meaning.
    """
    found = list(candidates)
    # A graph that names nothing must not make all other scores smaller.
    graph = options.graph_weight if any(each.graph_rank is not None for each in found) else 0.0
    score = _scorer(spans, options, graph_weight=graph)
    return sorted((Ranked(candidate=each, score=score(each)) for each in found), key=order_of)


def order_of(ranked: Ranked) -> tuple[float, str, int]:
    """Return the key that sorts best first and never leaves two passages equal."""
    candidate = ranked.candidate
    return -ranked.score, str(candidate.document_id), candidate.position


def _scorer(
    spans: Mapping[str, Span], options: RetrievalOptions, *, graph_weight: float
) -> Callable[[Candidate], float]:
    words = options.keyword_weight

    def coverage(each: Candidate) -> float:
        parts = _meaning(each, spans) + words * each.keyword_score
        return (parts + graph_weight * (each.graph_score or 0.0)) / (1 + words + graph_weight)

    def reciprocal(each: Candidate) -> float:
        ranks = ((1.0, each.dense_rank, "dense"), (words, each.keyword_rank, "keyword"))
        counted = [(weight, rank) for weight, rank, name in ranks if name not in each.below]
        counted.append((graph_weight, each.graph_rank))
        total = sum(weight / (options.rrf_k + rank) for weight, rank in counted if rank is not None)
        return total * (options.rrf_k + 1) / (1 + words + graph_weight)

    def best(each: Candidate) -> float:
        return max(_meaning(each, spans), each.keyword_score, each.graph_score or 0.0)

    match options.fusion:
        case "coverage":
            return coverage
        case "rrf":
            return reciprocal
        case "best":
            return best
        case "dense":
            return lambda each: _meaning(each, spans)
        case "keyword":
            return lambda each: each.keyword_score
        case _:
            assert_never(options.fusion)


def _meaning(candidate: Candidate, spans: Mapping[str, Span]) -> float:
    span = spans.get(candidate.identity or "")
    if span is None or candidate.dense_score is None:
        return 0.0
    return span.normalise(candidate.dense_score)
