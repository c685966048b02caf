"""Puts the best candidates into the order of a rerank model, where that was measured to help.

* Question and best passage differ in language: the model's order alone; coverage by words is blind
  there.
* The best candidate hardly leads: its order and the search's are mixed.
* Else it is not asked: it costs a third of a second and changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from knowledge.retrieval.fuse import Ranked, order_of
from knowledge.retrieval.hits import RerankMode
from knowledge.retrieval.languages import in_another_language
from knowledge.retrieval.settings import RerankWish
from providers.contracts.embedding import RerankModel, problem_of
from providers.contracts.errors import ModelError

DEPTH = 20
CLEAR_LEAD = 0.17
"""Of the fused score, 0..1: half of the weight of the whole difference in meaning."""
MIX_WEIGHT = 0.6
"""Of the rerank model against 1 for the search."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Whether and how to rerank."""

    mode: RerankMode
    reason: str


@dataclass(frozen=True, kw_only=True)
class Reranked:
    """The candidates in their order after reranking."""

    ranked: list[Ranked]
    scores: Mapping[UUID, float] = field(default_factory=dict)
    """The model's own number by chunk."""


def decide(
    wish: RerankWish, *, question: str, ranked: Sequence[Ranked], texts: Mapping[UUID, str]
) -> Decision:
    """Choose how the candidates of this question are reranked."""
    if wish == "never":
        return Decision(mode="none", reason="Reranking is switched off.")
    if len(ranked) < 2:
        return Decision(mode="none", reason="There is nothing to order.")
    best = ranked[0].candidate
    if in_another_language(question, texts[best.chunk_id], coverage=best.keyword_score):
        return Decision(mode="pure", reason="The best passage is in another language.")
    if wish == "always":
        return Decision(mode="mix", reason="It is always wished.")
    if ranked[0].score - ranked[1].score < CLEAR_LEAD:
        return Decision(mode="mix", reason="The best passages are close to each other.")
    return Decision(mode="none", reason="The best passage leads clearly.")


def rerank(
    model: RerankModel,
    *,
    mode: RerankMode,
    question: str,
    ranked: Sequence[Ranked],
    texts: Mapping[UUID, str],
) -> Reranked:
    """Return the candidates with the first `DEPTH` in their new order.

    The answer is checked here, whatever model it came from, before anything of it is used.

    Raises:
        ModelError: the model failed, or its answer is none.
    """
    head, tail = list(ranked[:DEPTH]), list(ranked[DEPTH:])
    answers = model.rerank(question, [texts[each.candidate.chunk_id] for each in head])
    problem = problem_of(answers, count=len(head))
    if problem:
        raise ModelError("bad_response", f"its answer cannot be used: {problem}")
    scores = [0.0] * len(head)
    for answer in answers:
        scores[answer.index] = answer.score
    ordered = _ordered(head, scores, mode)
    by_chunk = {each.candidate.chunk_id: score for each, score in zip(head, scores, strict=True)}
    return Reranked(ranked=ordered + tail, scores=by_chunk)


def _ordered(head: Sequence[Ranked], scores: Sequence[float], mode: RerankMode) -> list[Ranked]:
    """Order the head by its new scores, kept between its best and its last old one."""
    weight = MIX_WEIGHT if mode == "mix" else 1.0
    new = _stretched(scores)
    old = _stretched([each.score for each in head]) if mode == "mix" else [0.0] * len(head)
    joined = _stretched([o + weight * n for o, n in zip(old, new, strict=True)])
    low, high = head[-1].score, head[0].score
    moved = [
        replace(each, score=low + (high - low) * share)
        for each, share in zip(head, joined, strict=True)
    ]
    return sorted(moved, key=order_of)


def _stretched(values: Sequence[float]) -> list[float]:
    """Return the values spread over 0..1; all 1 when they are equal."""
    low, high = min(values), max(values)
    return [(value - low) / (high - low) if high > low else 1.0 for value in values]
