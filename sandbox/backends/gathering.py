"""What is collected of an output directory, under its limits, with a reason for each that is not."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from typing import Final

from sandbox.backends.paths import is_good_name, shown
from sandbox.contract import ArtifactLimits, CollectedFile, Collection

_MAX_REASONS: Final = 200
_MAX_PATH_BYTES: Final = 255


class Gatherer:
    """Takes files one after the other; directories are asked about before they are entered."""

    def __init__(self, limits: ArtifactLimits) -> None:
        self._limits = limits
        self._files: list[CollectedFile] = []
        self._left_out: list[tuple[str, str]] = []
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether no more reasons fit: the rest is not even looked at."""
        return len(self._left_out) >= _MAX_REASONS

    @property
    def room_bytes(self) -> int:
        """How large the next file may be."""
        return min(self._limits.file_bytes, self._limits.total_bytes - self._bytes)

    def accepts(self, parts: Sequence[str], mode: int, size_bytes: int) -> bool:
        """Return whether a file may be read, or a directory entered; else remember why not."""
        reason = self._why_not(parts, mode, size_bytes)
        if reason:
            self.leave_out("/".join(parts), reason)
        return not reason

    def take(self, parts: Sequence[str], data: bytes) -> None:
        """Keep a file that was accepted and read."""
        self._files.append(CollectedFile(path="/".join(parts), data=data))
        self._bytes += len(data)

    def leave_out(self, path: str, reason: str) -> None:
        """Remember why something is not collected."""
        if not self.is_full:
            self._left_out.append((shown_path(path), reason))

    def collection(self) -> Collection:
        """Return what was taken."""
        return Collection(files=tuple(self._files), left_out=tuple(self._left_out))

    def _why_not(self, parts: Sequence[str], mode: int, size_bytes: int) -> str:
        limits = self._limits
        if not all(map(is_good_name, parts)):
            return "Its name is not text that can be shown."
        if len("/".join(parts).encode()) > _MAX_PATH_BYTES:
            return "Its path is too long."
        if stat.S_ISDIR(mode):
            too_deep = len(parts) >= limits.depth
            return f"It is more than {limits.depth} directories deep." if too_deep else ""
        if len(parts) > limits.depth:
            return f"It is more than {limits.depth} directories deep."
        if not stat.S_ISREG(mode):
            return "It is a link or no regular file."
        if len(self._files) >= limits.files:
            return f"There are more than {limits.files} files."
        if size_bytes > limits.file_bytes:
            return f"It is larger than {limits.file_bytes} bytes."
        if self._bytes + size_bytes > limits.total_bytes:
            return f"All together are larger than {limits.total_bytes} bytes."
        return ""


def shown_path(path: str) -> str:
    """Return a path whose names may be shown, cut to a decent length."""
    return "/".join(map(shown, path.split("/")))[:400]
