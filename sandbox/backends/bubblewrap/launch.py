"""Starting one command: descriptors, the host user it runs as, and its end."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import FileIO
from typing import IO

from sandbox.backends.bubblewrap.command import ETC_FILES, Descriptors, View, limited, options
from sandbox.backends.filters import kernel_program
from sandbox.contract import SandboxLimits
from sandbox.errors import SandboxFailed

_HOST_ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
"""Of `bwrap` itself; the command's own is another. Nothing of ours: it can be read inside."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """One command to start."""

    argv: Sequence[str]
    view: View
    limits: SandboxLimits
    cwd: str
    variables: Mapping[str, str]
    stdin: bytes | None
    user_id: int | None
    """Host user to become; None to stay who we are."""
    grouped: bool
    """Control groups limit it; else each process is limited by itself and is shared out one processor."""


@dataclass(frozen=True, kw_only=True)
class Started:
    """A command that waits for `start` to be closed before it runs."""

    process: subprocess.Popen[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]
    status: FileIO
    """On which `bwrap` tells, in JSON, the first process and the exit code."""
    start: FileIO


def find_program() -> str | None:
    """Return the path of `bwrap`; None when it is not installed."""
    return shutil.which("bwrap", path=_HOST_ENVIRONMENT["PATH"])


@contextmanager
def launched(order: Order) -> Iterator[Started]:
    """Start a command; at the end of the block nothing of it is alive.

    Raises:
        SandboxFailed: `bwrap` is not there.
    """
    with ExitStack() as stack:
        status, status_inner = _pipe(stack)
        start_inner, start = _pipe(stack)
        inner = _descriptors(stack, order, status_inner.fileno(), start_inner.fileno())
        words = options(order.view, cwd=order.cwd, variables=order.variables, descriptors=inner)
        arguments = _memory_file(stack, words)
        kept = [inner.status, inner.start, arguments, *inner.etc.values()]
        if inner.system_calls is not None:
            kept.append(inner.system_calls)
        process = _popen(stack, order, arguments, kept)
        try:
            status_inner.close()
            start_inner.close()
            assert process.stdout is not None
            assert process.stderr is not None
            yield Started(
                process=process,
                stdout=process.stdout,
                stderr=process.stderr,
                status=status,
                start=start,
            )
        finally:
            kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill `bwrap`; the name space and everything in it ends with it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def read_status(text: bytes) -> tuple[int | None, int | None]:
    """Return the first process of the name space and the exit code, as far as they were told."""
    child, code = None, None
    decoder = json.JSONDecoder()
    rest = text.decode("ascii", "replace").lstrip()
    while rest:
        try:
            value, end = decoder.raw_decode(rest)
        except json.JSONDecodeError:
            break
        child, code = value.get("child-pid", child), value.get("exit-code", code)
        rest = rest[end:].lstrip()
    return child, code


def _popen(
    stack: ExitStack, order: Order, arguments: int, kept: Sequence[int]
) -> subprocess.Popen[bytes]:
    program = find_program()
    if program is None:
        raise SandboxFailed("bubblewrap is not installed.", retry=False)
    inside = limited(order.argv, order.limits, memory_by_process=not order.grouped)
    stdin = subprocess.DEVNULL if order.stdin is None else _memory_file(stack, order.stdin)
    return subprocess.Popen(  # noqa: S603  arguments are ours, the command runs inside
        [*_host_prefix(order), program, "--args", str(arguments), "--", *inside],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=kept,
        env=_HOST_ENVIRONMENT,
        cwd="/",
        start_new_session=True,
        bufsize=0,
    )


def _host_prefix(order: Order) -> list[str]:
    """Return what stands before `bwrap`: never run it as root, whose files user 1000 would own."""
    words: list[str] = []
    if not order.grouped:
        processors = sorted(os.sched_getaffinity(0))
        first = os.getpid() % len(processors)
        count = max(1, int(order.limits.cpus))
        chosen = (processors[first:] + processors[:first])[:count]
        words += ["nice", "-n", "10", "taskset", "-c", ",".join(map(str, chosen))]
    if order.user_id is not None:
        number = str(order.user_id)
        words += ["setpriv", "--reuid", number, "--regid", number, "--clear-groups"]
        words += ["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs"]
    return words


def _descriptors(stack: ExitStack, order: Order, status: int, start: int) -> Descriptors:
    program = kernel_program(fixed_processors=not order.grouped)
    return Descriptors(
        status=status,
        start=start,
        system_calls=_memory_file(stack, program) if program else None,
        etc={path: _memory_file(stack, data) for path, data in ETC_FILES.items()},
    )


def _memory_file(stack: ExitStack, data: bytes) -> int:
    """Return a descriptor of a file in memory that nobody can change any more."""
    descriptor = os.memfd_create("sandbox", os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    stack.callback(os.close, descriptor)
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    return descriptor


def _pipe(stack: ExitStack) -> tuple[FileIO, FileIO]:
    """Return both ends of a pipe, closed at the end; closing one earlier is safe."""
    read, write = os.pipe2(os.O_CLOEXEC)
    ends = (FileIO(read, "rb"), FileIO(write, "wb"))
    for end in ends:
        stack.callback(end.close)
    return ends
