"""How sure a mean is: percentile bootstrap (Efron and Tibshirani, 1993).

It is seeded, so that the same values always give the same interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2_000
SEED = 20_261_130
LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class Mean:
    """A mean over questions, with the bounds between which it lies at 95 %."""

    value: float
    low: float
    high: float
    count: int
    """Of how many questions."""


def mean_of(values: Sequence[float]) -> Mean | None:
    """Return the mean with its interval; None without a value."""
    if not values:
        return None
    mean = math.fsum(values) / len(values)
    low, high = _bounds(np.asarray(values, dtype=np.float64))
    # The mean of equal values may differ from them by a last digit.
    return Mean(value=mean, low=min(low, mean), high=max(high, mean), count=len(values))


def difference_of(before: Sequence[float], after: Sequence[float]) -> Mean | None:
    """Return the mean difference of pairs (after − before); None without a pair.

    Pairs are drawn together, so what makes a question hard for both runs cancels out. Where the
    interval holds 0, the runs cannot be told apart.
    """
    return mean_of([new - old for old, new in zip(before, after, strict=True)])


def _bounds(values: np.ndarray) -> tuple[float, float]:
    generator = np.random.default_rng(SEED)
    means = np.empty(RESAMPLES)
    for at in range(RESAMPLES):
        means[at] = values[generator.integers(0, len(values), len(values))].mean()
    outside = (1 - LEVEL) / 2
    low, high = np.quantile(means, [outside, 1 - outside])
    return float(low), float(high)
