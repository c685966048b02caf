"""Stretches of time, and how long they are together."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple


class Interval(NamedTuple):
    """From a moment to a later one."""

    began: datetime
    ended: datetime


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the stretches in their order, those that overlap or touch as one."""
    found: list[Interval] = []
    for each in sorted(intervals):
        if found and each.began <= found[-1].ended:
            found[-1] = Interval(found[-1].began, max(found[-1].ended, each.ended))
        else:
            found.append(each)
    return found


def total_seconds(intervals: Iterable[Interval]) -> float:
    """Return how long the intervals last together; what overlaps counts once."""
    return sum((each.ended - each.began).total_seconds() for each in merged(intervals))
