"""One full installation runs from a data directory at a time."""

from __future__ import annotations

import fcntl
import os

from core.embedded.files import read_json, write_json
from core.embedded.layout import Layout


class AlreadyRuns(Exception):
    """Another supervisor holds the lock; the message says which."""


class RunLock:
    """Held from start to end of a supervisor that runs all parts."""

    def __init__(self, layout: Layout) -> None:
        self._path = layout.root / "supervisor.lock"
        self._note = layout.root / "supervisor.json"
        self._descriptor: int | None = None

    def take(self, *, url: str) -> None:
        """Take the lock and note who we are.

        Raises:
            AlreadyRuns: somebody else has it.
        """
        self._descriptor = self._try()
        if self._descriptor is None:
            other = read_json(self._note)
            raise AlreadyRuns(
                f"it runs already from this data directory (pid {other.get('pid')}, "
                f"{other.get('url')}): use that one, end it, or set WEKNORA_DATA_DIR "
                "and WEKNORA_PORT for a second one"
            )
        write_json(self._note, {"pid": os.getpid(), "url": url})

    def is_taken(self) -> bool:
        """Say whether a supervisor runs now."""
        if not self._path.exists():
            return False
        descriptor = self._try()
        if descriptor is None:
            return True
        os.close(descriptor)
        return False

    def give_back(self) -> None:
        """Let the next one start."""
        if self._descriptor is not None:
            self._note.unlink(missing_ok=True)
            self.let_go()

    def let_go(self) -> None:
        """Close our descriptor; in a fork, the supervisor's own keeps the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _try(self) -> int | None:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return descriptor
