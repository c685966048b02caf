"""Limits of a session by control groups of the kernel, of either version."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sandbox.contract import SandboxLimits

logger = logging.getLogger(__name__)

_NAME = "weknora-sandbox"
_PERIOD_MICROSECONDS = 100_000
_OWN_PROCESSES = 3
"""The first process of the name space and what starts the command count, too."""
_WANTED = ("memory", "pids", "cpu")


class ControlGroups(Protocol):
    """The groups of one session."""

    def prepare(self, limits: SandboxLimits) -> None:
        """Make them with these limits, or set these. Raises: OSError."""
        ...

    def add(self, process_id: int) -> None:
        """Put a process into them; what it starts is in them, too. Raises: OSError."""
        ...

    def kills_for_memory(self) -> int:
        """Return how many processes were killed for memory so far."""
        ...

    def kill(self) -> None:
        """Kill every process in them."""
        ...

    def remove(self) -> None:
        """Remove them; without error when they are gone."""
        ...


def groups_of(session_id: str, root: Path = Path("/sys/fs/cgroup")) -> ControlGroups | None:
    """Return the groups of a session; None where this process may not make any."""
    if (root / "cgroup.controllers").exists():
        return _Unified(root / _NAME / session_id) if os.access(root, os.W_OK) else None
    if all(os.access(root / controller, os.W_OK) for controller in _WANTED):
        return _Separate(root, session_id)
    return None


@dataclass(frozen=True)
class _Unified:
    """Version 2: one directory."""

    directory: Path

    def prepare(self, limits: SandboxLimits) -> None:
        parent = self.directory.parent
        self.directory.mkdir(parents=True, exist_ok=True)
        for above in (parent.parent, parent):
            _write(above / "cgroup.subtree_control", " ".join(f"+{name}" for name in _WANTED))
        _write(self.directory / "memory.max", str(limits.memory_bytes))
        if (self.directory / "memory.swap.max").exists():
            _write(self.directory / "memory.swap.max", "0")
        _write(self.directory / "pids.max", str(limits.processes + _OWN_PROCESSES))
        quota = int(limits.cpus * _PERIOD_MICROSECONDS)
        _write(self.directory / "cpu.max", f"{quota} {_PERIOD_MICROSECONDS}")

    def add(self, process_id: int) -> None:
        _write(self.directory / "cgroup.procs", str(process_id))

    def kills_for_memory(self) -> int:
        return _counter(self.directory / "memory.events", "oom_kill")

    def kill(self) -> None:
        _kill_all(self.directory)

    def remove(self) -> None:
        _remove(self.directory)


@dataclass(frozen=True)
class _Separate:
    """Version 1: a directory under each controller."""

    root: Path
    session_id: str

    def prepare(self, limits: SandboxLimits) -> None:
        for directory in self._directories():
            directory.mkdir(parents=True, exist_ok=True)
        memory, pids, cpu = self._directories()
        _write_memory(memory, limits.memory_bytes)
        _write(pids / "pids.max", str(limits.processes + _OWN_PROCESSES))
        _write(cpu / "cpu.cfs_period_us", str(_PERIOD_MICROSECONDS))
        _write(cpu / "cpu.cfs_quota_us", str(int(limits.cpus * _PERIOD_MICROSECONDS)))

    def add(self, process_id: int) -> None:
        for directory in self._directories():
            _write(directory / "cgroup.procs", str(process_id))

    def kills_for_memory(self) -> int:
        return _counter(self._directories()[0] / "memory.oom_control", "oom_kill")

    def kill(self) -> None:
        _kill_all(self._directories()[1])

    def remove(self) -> None:
        for directory in self._directories():
            _remove(directory)

    def _directories(self) -> tuple[Path, Path, Path]:
        memory, pids, cpu = (self.root / name / _NAME / self.session_id for name in _WANTED)
        return memory, pids, cpu


def _write_memory(directory: Path, limit_bytes: int) -> None:
    """Set memory, and memory with swap to the same; the second may never be below the first."""
    names = ["memory.limit_in_bytes"]
    if (directory / "memory.memsw.limit_in_bytes").exists():
        names.append("memory.memsw.limit_in_bytes")
    for name in (*names, *reversed(names)):
        try:
            _write(directory / name, str(limit_bytes))
        except OSError:
            if name == names[0] and len(names) == 1:
                raise
    if _read_number(directory / names[0]) > limit_bytes:
        raise OSError(f"{directory} does not take a limit of {limit_bytes} bytes")


def _kill_all(directory: Path) -> None:
    for process_id in _processes(directory):
        try:
            os.kill(process_id, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _processes(directory: Path) -> Iterator[int]:
    try:
        text = (directory / "cgroup.procs").read_text()
    except OSError:
        return
    yield from (int(line) for line in text.split() if line != "0")


def _remove(directory: Path) -> None:
    """Remove an empty group; its last processes may take a moment to end."""
    for _ in range(50):
        try:
            directory.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)
        else:
            return
    logger.warning("a control group cannot be removed: %s", directory)


def _write(file: Path, value: str) -> None:
    with file.open("w", encoding="utf-8") as stream:
        stream.write(value)


def _read_number(file: Path) -> int:
    return int(file.read_text(encoding="utf-8"))


def _counter(file: Path, name: str) -> int:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.split()[:1] == [name]), 0)
