"""Watchers for what the kernel does not limit here: they look often and say what passed its limit."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from sandbox.contract import SandboxLimits

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_BLOCK_BYTES = 512


class Watcher(Protocol):
    """Looks whether a limit was passed."""

    interval_seconds: float

    def passed(self, first_process_id: int) -> str:
        """Return the name of the limit that was passed; empty when none was."""
        ...


class DiskWatcher:
    """Adds up the files of a workspace."""

    interval_seconds = 0.2

    def __init__(self, directory: Path, limits: SandboxLimits) -> None:
        """Watch `directory`; what is over the limit already may stay, so that it can be removed."""
        used_bytes, used_files = disk_usage(directory)
        self._directory = directory
        self._bytes = max(limits.workspace_bytes, used_bytes)
        self._files = max(limits.workspace_files, used_files)

    def passed(self, first_process_id: int) -> str:
        """Return `disk` or `files`."""
        used_bytes, used_files = disk_usage(self._directory, stop_at_files=self._files)
        if used_files > self._files:
            return "files"
        return "disk" if used_bytes > self._bytes else ""


class MemoryWatcher:
    """Adds up the memory of a name space's processes; what they share is divided among them."""

    interval_seconds = 0.1

    def __init__(self, limits: SandboxLimits) -> None:
        self._bytes = limits.memory_bytes

    def passed(self, first_process_id: int) -> str:
        """Return `memory`."""
        processes = list(process_tree(first_process_id))
        if sum(map(_resident_bytes, processes)) <= self._bytes:
            return ""
        # Shared pages were counted once for each process: ask again, exactly.
        return "memory" if sum(map(_proportional_bytes, processes)) > self._bytes else ""


class Watch:
    """Asks several watchers, each when it is its time."""

    def __init__(self, watchers: list[Watcher]) -> None:
        """Ask each for the first time after its interval."""
        now = time.monotonic()
        self._due = [(now + watcher.interval_seconds, watcher) for watcher in watchers]

    def passed(self, first_process_id: int) -> str:
        """Return the name of a limit that was passed; empty when none was."""
        for index, (due, watcher) in enumerate(self._due):
            if time.monotonic() < due:
                continue
            if limit := watcher.passed(first_process_id):
                return limit
            self._due[index] = (time.monotonic() + watcher.interval_seconds, watcher)
        return ""


def disk_usage(directory: Path, *, stop_at_files: int | None = None) -> tuple[int, int]:
    """Return bytes on the disk and number of entries below a directory; links are not followed.

    Stops counting soon after `stop_at_files`.
    """
    used_bytes = used_files = 0
    waiting = [os.fspath(directory)]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        for entry in entries:
            try:
                information = entry.stat(follow_symlinks=False)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
            except OSError:
                continue
            used_bytes += information.st_blocks * _BLOCK_BYTES
            used_files += 1
        if stop_at_files is not None and used_files > stop_at_files:
            break
    return used_bytes, used_files


def process_tree(first_process_id: int) -> Iterator[int]:
    """Give a process and all below it."""
    waiting = [first_process_id]
    while waiting:
        process_id = waiting.pop()
        yield process_id
        try:
            threads = os.listdir(f"/proc/{process_id}/task")  # noqa: PTH208  names are enough
            for thread in threads:
                text = Path(f"/proc/{process_id}/task/{thread}/children").read_text(
                    encoding="utf-8"
                )
                waiting += [int(number) for number in text.split()]
        except OSError:
            continue


def _resident_bytes(process_id: int) -> int:
    try:
        return (
            int(Path(f"/proc/{process_id}/statm").read_text(encoding="utf-8").split()[1])
            * _PAGE_BYTES
        )
    except OSError:
        return 0


def _proportional_bytes(process_id: int) -> int:
    try:
        lines = Path(f"/proc/{process_id}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return _resident_bytes(process_id)
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
