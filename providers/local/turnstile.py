"""Lets one caller at the model at a time, people's questions before background work."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Turnstile:
    """A lock whose urgent waiters go first."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._busy = False
        self._urgent_waiting = 0

    @contextmanager
    def pass_through(self, *, urgent: bool) -> Iterator[None]:
        """Hold the lock during the block."""
        self._enter(urgent=urgent)
        try:
            yield
        finally:
            with self._condition:
                self._busy = False
                self._condition.notify_all()

    def _enter(self, *, urgent: bool) -> None:
        with self._condition:
            if urgent:
                self._urgent_waiting += 1
                self._condition.wait_for(lambda: not self._busy)
                self._urgent_waiting -= 1
            else:
                self._condition.wait_for(lambda: not self._busy and not self._urgent_waiting)
            self._busy = True
