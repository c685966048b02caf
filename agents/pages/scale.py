"""Where a moment stands on a timeline's axis; long waits are drawn shortened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.tracing.intervals import Interval, merged

WIDTH = 1000
"""Units of the axis."""
_SHORT_WAIT_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Maps moments to 0 … 1000."""

    began: datetime
    ended: datetime
    waits: tuple[Interval, ...]
    """Merged; each longer than `wait_seconds` takes only so much room."""
    wait_seconds: float

    @property
    def shortens(self) -> bool:
        """Whether a wait is drawn shorter than it was."""
        return any(_length(wait) > self.wait_seconds for wait in self.waits)

    def x(self, at: datetime) -> float:
        """Return where a moment stands."""
        whole = self._drawn_seconds(self.ended)
        if whole <= 0:
            return 0.0
        return round(min(max(self._drawn_seconds(at) / whole, 0.0), 1.0) * WIDTH, 1)

    def _drawn_seconds(self, at: datetime) -> float:
        seconds = (at - self.began).total_seconds()
        for wait in self.waits:
            inside = (min(at, wait.ended) - wait.began).total_seconds()
            length = _length(wait)
            if inside > 0 and length > self.wait_seconds:
                seconds -= inside * (1 - self.wait_seconds / length)
        return seconds


def scale_of(began: datetime, ended: datetime, waits: Sequence[Interval]) -> Scale:
    """Return a scale on which waiting takes at most a quarter of what working takes."""
    joined = tuple(merged(waits))
    working = (ended - began).total_seconds() - sum(map(_length, joined))
    room = max(_SHORT_WAIT_SECONDS, working / 4)
    return Scale(began=began, ended=ended, waits=joined, wait_seconds=room)


def _length(interval: Interval) -> float:
    return (interval.ended - interval.began).total_seconds()
