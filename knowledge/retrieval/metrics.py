"""How good an order is, given what should have been found. Pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

T = TypeVar("T")


def hit_at(found: Sequence[T], wanted: Collection[T], *, k: int) -> bool:
    """Say whether one of `wanted` is among the first `k`."""
    return any(each in wanted for each in found[:k])


def reciprocal_rank(found: Sequence[T], wanted: Collection[T], *, k: int = 10) -> float:
    """Return 1 / the rank of the first of `wanted` among the first `k`; 0 when none is there."""
    for rank, each in enumerate(found[:k], 1):
        if each in wanted:
            return 1 / rank
    return 0.0
