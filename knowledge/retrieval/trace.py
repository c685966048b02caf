"""Records how a search went: how long each stage took, and what became of each candidate."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from knowledge.retrieval.expand import Duplicate
from knowledge.retrieval.fuse import Ranked
from knowledge.retrieval.hits import CandidateTrace, DropStage
from knowledge.retrieval.keyword import WeighedTerms
from knowledge.retrieval.rerank import Reranked


@dataclass
class Stopwatch:
    """Times the stages of one search."""

    timings_ms: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the block."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = (time.perf_counter() - start) * 1000
            self.timings_ms[name] = round(self.timings_ms.get(name, 0.0) + spent, 2)


@dataclass(frozen=True, kw_only=True)
class Course:
    """The candidates after each stage, best first."""

    fused: Sequence[Ranked]
    reranked: Reranked
    kept: Sequence[Ranked]
    """After duplicates were dropped."""
    duplicates: Sequence[Duplicate]
    limit: int
    terms: WeighedTerms


def trace_candidates(course: Course) -> tuple[CandidateTrace, ...]:
    """Return every candidate with its ranks, in the final order: hits, then what was dropped."""
    fused = {each.candidate.chunk_id: (rank, each) for rank, each in enumerate(course.fused, 1)}
    final = [(each, None, "") for each in course.kept[: course.limit]]
    cut: list[tuple[Ranked, DropStage | None, str]] = [
        (each, "limit", f"Only the best {course.limit} are hits.")
        for each in course.kept[course.limit :]
    ]
    same: list[tuple[Ranked, DropStage | None, str]] = [
        (each.ranked, "duplicate", f"{each.reason} The better one is {each.of}.")
        for each in course.duplicates
    ]
    reranks = _rerank_ranks(course.reranked)
    return tuple(
        _trace(each, rank=rank, drop=drop, reason=reason, fused=fused, reranks=reranks, of=course)
        for rank, (each, drop, reason) in enumerate([*final, *cut, *same], 1)
    )


def _trace(
    each: Ranked,
    *,
    rank: int,
    drop: DropStage | None,
    reason: str,
    fused: Mapping[UUID, tuple[int, Ranked]],
    reranks: Mapping[UUID, int],
    of: Course,
) -> CandidateTrace:
    candidate = each.candidate
    fused_rank, before = fused[candidate.chunk_id]
    return CandidateTrace(
        chunk_id=candidate.chunk_id,
        document_id=candidate.document_id,
        position=candidate.position,
        dense_rank=candidate.dense_rank,
        dense_score=candidate.dense_score,
        keyword_rank=candidate.keyword_rank,
        keyword_score=candidate.keyword_score,
        matched_terms=of.terms.matched(candidate.terms),
        fused_rank=fused_rank,
        fused_score=before.score,
        rerank_rank=reranks.get(candidate.chunk_id),
        rerank_score=of.reranked.scores.get(candidate.chunk_id),
        final_rank=rank if drop is None else None,
        dropped_by=drop,
        reason=reason,
    )


def _rerank_ranks(reranked: Reranked) -> dict[UUID, int]:
    """Return the ranks after reranking of those whom the model saw."""
    return {
        each.candidate.chunk_id: rank
        for rank, each in enumerate(reranked.ranked, 1)
        if each.candidate.chunk_id in reranked.scores
    }
