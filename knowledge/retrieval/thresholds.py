"""Drops what is too weak: by each engine's own measure before fusion, by the rerank model's after.

Scores of two engines say nothing about each other, so that one threshold behind fusion would mean
nothing: each list has its own. A passage stays while one of the engines that named it holds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from knowledge.retrieval.fuse import Candidate, Ranked
from knowledge.retrieval.hits import DropStage, Engine

LEAST_OF_THE_BEST = 0.15
"""Where the rerank model's threshold would leave nothing, the best stays from this score on."""


@dataclass(frozen=True, kw_only=True)
class Weak:
    """A candidate that a threshold drops."""

    candidate: Candidate
    stage: DropStage
    reason: str


def drop_weak(
    candidates: Iterable[Candidate], *, dense: float, keyword: float
) -> tuple[list[Candidate], list[Weak]]:
    """Divide the candidates by the thresholds of the engines that named them; 0 means none.

    Those that stay know in `below` which engine does not count for them.
    """
    kept: list[Candidate] = []
    dropped: list[Weak] = []
    for each in candidates:
        below: set[Engine] = set()
        if dense and (each.dense_score or 0.0) < dense:
            below.add("dense")
        if keyword and each.keyword_score < keyword:
            below.add("keyword")
        if below and each.named_by <= below:
            dropped.append(_weak(each, dense=dense, keyword=keyword))
        else:
            kept.append(replace(each, below=frozenset(below)) if below else each)
    return kept, dropped


def drop_below(
    ranked: Sequence[Ranked], scores: Mapping[UUID, float], *, threshold: float
) -> tuple[list[Ranked], list[Weak]]:
    """Divide reranked candidates by the model's own score.

    Where none reaches the threshold the best stays, if it has `LEAST_OF_THE_BEST`. What the model
    was not asked about is behind all that it was asked about, and goes, too.
    """
    if not threshold or not scores:
        return list(ranked), []
    kept = [each for each in ranked if scores.get(each.candidate.chunk_id, -1.0) >= threshold]
    if not kept:
        judged = [each for each in ranked if each.candidate.chunk_id in scores]
        best = max(judged, key=lambda each: scores[each.candidate.chunk_id], default=None)
        if best is not None and scores[best.candidate.chunk_id] >= LEAST_OF_THE_BEST:
            kept = [best]
    staying = {each.candidate.chunk_id for each in kept}
    dropped = [
        Weak(
            candidate=each.candidate,
            stage="rerank_threshold",
            reason=_why(scores.get(each.candidate.chunk_id), threshold),
        )
        for each in ranked
        if each.candidate.chunk_id not in staying
    ]
    return kept, dropped


def _why(score: float | None, threshold: float) -> str:
    if score is None:
        return "The rerank model was asked about better candidates only."
    return f"The rerank model gives it {score:.2f}; {threshold:g} is the least."


def _weak(candidate: Candidate, *, dense: float, keyword: float) -> Weak:
    by_meaning = candidate.dense_rank is not None
    by_words = candidate.keyword_rank is not None
    reasons = []
    if by_meaning:
        reasons.append(
            f"Its likeness of meaning is {candidate.dense_score or 0.0:.2f}; {dense:g} is the least."
        )
    if by_words:
        reasons.append(
            f"It has {candidate.keyword_score:.2f} of the question's words; {keyword:g} is the least."
        )
    stage: DropStage = "dense_threshold" if by_meaning else "keyword_threshold"
    return Weak(candidate=candidate, stage=stage, reason=" ".join(reasons))
