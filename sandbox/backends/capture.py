"""What is kept of the output of a command."""

from __future__ import annotations

FLOOD_FACTOR = 8
"""A command that writes this many times what is kept is killed."""


class Capture:
    """Keeps the first bytes of a stream and counts the rest."""

    def __init__(self, limit: int) -> None:
        """Keep `limit` bytes."""
        self.limit = limit
        self.total = 0
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        """Take what came."""
        self._kept += data[: max(0, self.limit - len(self._kept))]
        self.total += len(data)

    @property
    def data(self) -> bytes:
        """What was kept."""
        return bytes(self._kept)

    @property
    def truncated(self) -> bool:
        """Whether something was not kept."""
        return self.total > self.limit

    @property
    def flooded(self) -> bool:
        """Whether the command should be stopped for it."""
        return self.total >= self.limit * FLOOD_FACTOR
