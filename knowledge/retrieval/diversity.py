"""Prefers what differs from the hits before it: maximal marginal relevance over shared terms."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.retrieval.fuse import Ranked


def diversify(ranked: Sequence[Ranked], *, balance: float, limit: int) -> list[Ranked]:
    """Return the candidates with the first `limit` chosen one by one, the others as they were.

    Each choice is the best of `balance × score − (1 − balance) × likeness` to the nearest one
    chosen before; equal ones stay in their order. With a balance of 1 nothing moves.
    """
    if balance >= 1 or len(ranked) < 2:
        return list(ranked)
    rest = list(ranked)
    chosen: list[Ranked] = []
    likeness = [0.0] * len(rest)
    while rest and len(chosen) < limit:
        values = [
            balance * each.score - (1 - balance) * alike
            for each, alike in zip(rest, likeness, strict=True)
        ]
        best = values.index(max(values))
        newest = rest.pop(best)
        likeness.pop(best)
        likeness = [
            max(alike, _likeness(each, newest)) for each, alike in zip(rest, likeness, strict=True)
        ]
        chosen.append(newest)
    return chosen + rest


def _likeness(one: Ranked, other: Ranked) -> float:
    """Return the share of terms in common: 0..1."""
    either = one.candidate.terms | other.candidate.terms
    return len(one.candidate.terms & other.candidate.terms) / len(either) if either else 0.0
