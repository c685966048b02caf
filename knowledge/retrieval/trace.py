"""Records how a search went: how long each stage took, and what became of each candidate."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from knowledge.retrieval.expand import Duplicate
from knowledge.retrieval.fuse import Candidate, Ranked
from knowledge.retrieval.hits import CandidateTrace, DropStage
from knowledge.retrieval.keyword import WeighedTerms
from knowledge.retrieval.rerank import Reranked
from knowledge.retrieval.thresholds import Weak


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

    weak: Sequence[Weak]
    """What thresholds dropped."""
    fused: Sequence[Ranked]
    reranked: Reranked
    kept: Sequence[Ranked]
    """After thresholds, weights and duplicates."""
    varied: Sequence[Ranked]
    """The same in the order that prefers what differs."""
    final: Sequence[Ranked]
    """The hits, and what the limit cuts off."""
    duplicates: Sequence[Duplicate]
    limit: int
    terms: WeighedTerms
    is_varied: bool = False
    language_place: UUID | None = None
    """Which hit has the place of another language."""


@dataclass(frozen=True, kw_only=True)
class _End:
    """Where one candidate ended."""

    candidate: Candidate
    stage: DropStage | None = None
    reason: str = ""
    score: float | None = None


def trace_candidates(course: Course) -> tuple[CandidateTrace, ...]:
    """Return every candidate with its ranks, in the final order: hits, then what was dropped."""
    fused = {each.candidate.chunk_id: (rank, each) for rank, each in enumerate(course.fused, 1)}
    reranks = _rerank_ranks(course.reranked)
    varied = _ranks(course.varied) if course.is_varied else {}
    return tuple(
        _trace(end, rank=rank, fused=fused, reranks=reranks, varied=varied, of=course)
        for rank, end in enumerate(_ends(course), 1)
    )


def _ends(course: Course) -> Iterator[_End]:
    for each in course.final[: course.limit]:
        yield _End(candidate=each.candidate, score=each.score)
    before, after = _ranks(course.kept), _ranks(course.varied)
    for each in course.final[course.limit :]:
        chunk_id = each.candidate.chunk_id
        stage: DropStage = "limit"
        reason = f"Only the best {course.limit} are hits."
        if after[chunk_id] <= course.limit:
            reason = "The last place is kept for a passage in another language."
        elif before[chunk_id] <= course.limit:
            stage, reason = "mmr", "Hits before it say much of the same."
        yield _End(candidate=each.candidate, stage=stage, reason=reason, score=each.score)
    hits = {each.candidate.chunk_id for each in course.final}
    for same in course.duplicates:
        if same.ranked.candidate.chunk_id in hits:  # it has the place of another language
            continue
        yield _End(
            candidate=same.ranked.candidate,
            stage="duplicate",
            reason=f"{same.reason} The better one is {same.of}.",
            score=same.ranked.score,
        )
    for weak in course.weak:
        if weak.candidate.chunk_id not in hits:
            yield _End(candidate=weak.candidate, stage=weak.stage, reason=weak.reason)


def _trace(
    end: _End,
    *,
    rank: int,
    fused: Mapping[UUID, tuple[int, Ranked]],
    reranks: Mapping[UUID, int],
    varied: Mapping[UUID, int],
    of: Course,
) -> CandidateTrace:
    candidate = end.candidate
    fused_rank, before = fused.get(candidate.chunk_id, (None, None))
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
        fused_score=before.score if before else None,
        rerank_rank=reranks.get(candidate.chunk_id),
        rerank_score=of.reranked.scores.get(candidate.chunk_id),
        final_rank=rank if end.stage is None else None,
        dropped_by=end.stage,
        reason=end.reason,
        graph_rank=candidate.graph_rank,
        graph_score=candidate.graph_score,
        weighed_score=end.score,
        mmr_rank=varied.get(candidate.chunk_id),
    )


def _ranks(ranked: Sequence[Ranked]) -> dict[UUID, int]:
    return {each.candidate.chunk_id: rank for rank, each in enumerate(ranked, 1)}


def _rerank_ranks(reranked: Reranked) -> dict[UUID, int]:
    """Return the ranks after reranking of those whom the model saw."""
    return {
        each.candidate.chunk_id: rank
        for rank, each in enumerate(reranked.ranked, 1)
        if each.candidate.chunk_id in reranked.scores
    }
