"""What every sandbox backend does, and the values that pass between it and its users.

A backend runs untrusted commands in a workspace that belongs to one key (a conversation) and lives
on between commands: *files persist, processes do not*. Nothing here is asynchronous and nothing here
asks who may do what; `sandbox.services` does. Sizes are bytes, times seconds, paths absolute paths
inside of the sandbox (`/workspace/…`) as POSIX text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

MIB = 1024 * 1024
WORKSPACE, INPUT, OUTPUT = "/workspace", "/workspace/input", "/workspace/output"


class Enforcement(StrEnum):
    """How a limit holds."""

    KERNEL = "kernel"
    """The kernel refuses: a control group, a name space, a file system of that size."""
    WATCHED = "watched"
    """A watcher stops the command soon after it passed the limit."""
    NONE = "none"


@dataclass(frozen=True, kw_only=True)
class SandboxLimits:
    """What one workspace and each of its commands may use."""

    memory_bytes: int = 256 * MIB
    cpus: float = 1.0
    processes: int = 100
    workspace_bytes: int = 64 * MIB
    workspace_files: int = 4096
    file_bytes: int = 32 * MIB
    output_bytes: int = 256 * 1024
    """Kept of each of standard output and error; a command that writes eight times as much is killed."""
    open_files: int = 256


@dataclass(frozen=True, kw_only=True)
class ArtifactLimits:
    """What is collected of `/workspace/output` at the end of a turn."""

    files: int = 200
    file_bytes: int = 16 * MIB
    total_bytes: int = 64 * MIB
    depth: int = 16


@dataclass(frozen=True, kw_only=True)
class Probe:
    """Whether a backend runs here, from a command that really ran in it."""

    works: bool
    detail: str = ""
    """One English sentence for the administrator: why not and what to do, or what is weaker here."""
    version: str = ""
    limits: Mapping[str, Enforcement] = field(default_factory=dict)
    """By name: memory, cpu, processes, disk, files, network, system_calls, user."""


@dataclass(frozen=True, kw_only=True)
class ExecResult:
    """How one command ended."""

    exit_code: int | None
    """None when it was killed or lost; 128 + n when signal n ended it."""
    stdout: bytes
    stderr: bytes
    stdout_truncated: bool = False
    stderr_truncated: bool = False
    timed_out: bool = False
    cancelled: bool = False
    out_of_memory: bool = False
    over_limit: str = ""
    """Name of the limit whose watcher ended it: disk, output; empty for none."""
    lost: bool = False
    """The workspace had to be started anew; files of it may be gone."""
    duration_seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class FileEntry:
    """One file or directory of a workspace; links are told as such and never followed."""

    path: str
    kind: str
    """file, directory, link or other."""
    size_bytes: int
    modified_at: float
    """Seconds since the epoch, with fractions."""


@dataclass(frozen=True, kw_only=True)
class CollectedFile:
    """A regular file of `/workspace/output`, read without following a link."""

    path: str
    """Relative to the output directory; its names are checked (no `..`, no control characters)."""
    data: bytes


@dataclass(frozen=True, kw_only=True)
class Collection:
    """What was collected, and what was not with the reason in English."""

    files: tuple[CollectedFile, ...]
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class SandboxInfo:
    """A workspace that a backend knows, whether or not a row of ours knows it."""

    key: str
    created_at: datetime
    running: bool


class CancelCheck(Protocol):
    """Asked several times a second while a command runs."""

    def __call__(self) -> bool:
        """Return whether the command must stop now."""
        ...


class Workspace(Protocol):
    """One workspace. Every method raises `SandboxGone` when it was destroyed meanwhile."""

    key: str

    def exec(
        self,
        argv: Sequence[str],
        *,
        timeout_seconds: float,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        cancelled: CancelCheck | None = None,
    ) -> ExecResult:
        """Run a command to its end, its limits or its time; nothing of it is alive afterwards."""
        ...

    def put(self, path: str, data: bytes, *, read_only: bool = False) -> None:
        """Write a file; below `input` only with `read_only`, which user code cannot change."""
        ...

    def get(self, path: str, *, max_bytes: int) -> bytes:
        """Return a regular file. Raises: NotFound, Invalid (a link, too large)."""
        ...

    def list_files(self, path: str = WORKSPACE, *, limit: int = 500) -> list[FileEntry]:
        """Return what is below a directory, sorted by path."""
        ...

    def collect(self, limits: ArtifactLimits) -> Collection:
        """Return the regular files below `output`, each read exactly once and without links."""
        ...


class SandboxBackend(Protocol):
    """One way to run untrusted commands."""

    name: str

    def probe(self) -> Probe:
        """Run a command in a workspace made for it, and tell which limits hold."""
        ...

    def create(
        self, key: str, limits: SandboxLimits, skills: Sequence[SkillMount] = ()
    ) -> Workspace:
        """Return the workspace of `key`, made now if need be; the caller holds a lock of the key."""
        ...

    def list(self) -> Iterator[SandboxInfo]:
        """Give every workspace of this deployment, also stopped ones."""
        ...

    def destroy(self, key: str) -> None:
        """End everything of a workspace; without error when it is gone already."""
        ...


@dataclass(frozen=True, kw_only=True)
class SkillMount:
    """A directory of the host with a skill's files, read-only at `/skills/<name>` in the sandbox."""

    name: str
    directory: str
