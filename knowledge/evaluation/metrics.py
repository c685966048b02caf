"""How good a ranking is, given what should have been found. Pure functions over binary relevance.

Definitions are those of TREC's evaluation (Voorhees and Harman, "TREC: Experiment and Evaluation in
Information Retrieval", 2005) and, for nDCG, of Järvelin and Kekäläinen, "Cumulated Gain-Based
Evaluation of IR Techniques", TOIS 20(4), 2002. Every value lies in 0..1.

`ranked` is best first and names nothing twice; `wanted` holds what should have been found.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def hit_at(ranked: Sequence[T], wanted: Collection[T], *, k: int) -> float:
    """Return 1 when one of `wanted` is among the first `k`, else 0 (success at k)."""
    return float(any(each in wanted for each in ranked[:k]))


def recall_at(ranked: Sequence[T], wanted: Collection[T], *, k: int) -> float:
    """Return the share of `wanted` that is among the first `k`; 0 when nothing is wanted."""
    return _found(ranked, wanted, k) / len(wanted) if wanted else 0.0


def precision_at(ranked: Sequence[T], wanted: Collection[T], *, k: int) -> float:
    """Return the share of `k` places that hold one of `wanted`; empty places count as wrong."""
    return _found(ranked, wanted, k) / k


def reciprocal_rank(ranked: Sequence[T], wanted: Collection[T], *, k: int) -> float:
    """Return 1 / the rank of the first of `wanted` among the first `k`; 0 when none is there.

    Its mean over questions is MRR.
    """
    for rank, each in enumerate(ranked[:k], 1):
        if each in wanted:
            return 1 / rank
    return 0.0


def average_precision(ranked: Sequence[T], wanted: Collection[T], *, k: int) -> float:
    """Return the mean, over all of `wanted`, of the precision at the rank where each stands.

    One that is not among the first `k` adds 0. Its mean over questions is MAP.
    """
    found, total = 0, 0.0
    for rank, each in enumerate(ranked[:k], 1):
        if each in wanted:
            found += 1
            total += found / rank
    return total / len(wanted) if wanted else 0.0


def ndcg_at(ranked: Sequence[T], wanted: Collection[T], *, k: int) -> float:
    """Return the discounted gain of the first `k`, as a share of the best that is possible.

    The gain of one of `wanted` is 1, the discount of rank r is 1 / log2(r + 1).
    """
    gained = sum(_discount(rank) for rank, each in enumerate(ranked[:k], 1) if each in wanted)
    best = sum(_discount(rank) for rank in range(1, min(len(wanted), k) + 1))
    return gained / best if best else 0.0


def ranking_metrics(ranked: Sequence[T], wanted: Collection[T], *, k: int) -> Mapping[str, float]:
    """Return every measure of one ranking at `k`, by its name in results."""
    return {
        "recall": recall_at(ranked, wanted, k=k),
        "precision": precision_at(ranked, wanted, k=k),
        "hit": hit_at(ranked, wanted, k=k),
        "ndcg": ndcg_at(ranked, wanted, k=k),
        "mrr": reciprocal_rank(ranked, wanted, k=k),
        "map": average_precision(ranked, wanted, k=k),
    }


def _found(ranked: Sequence[T], wanted: Collection[T], k: int) -> int:
    return len(set(ranked[:k]) & set(wanted))


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)
