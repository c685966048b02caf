"""One command from its start to its end: output, time, cancelling, watchers.

Nothing of a command is alive when `run` returns: killing `bwrap` ends its process name space.
"""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from sandbox.backends.bubblewrap.cgroups import ControlGroups
from sandbox.backends.bubblewrap.launch import Order, Started, launched, read_status
from sandbox.backends.bubblewrap.watchers import Watch
from sandbox.backends.capture import Capture
from sandbox.contract import CancelCheck, ExecResult
from sandbox.errors import SandboxFailed, SandboxGone

_TICK_SECONDS = 0.05
_DRAIN_SECONDS = 2.0
_READ_BYTES = 65_536


@dataclass(frozen=True, kw_only=True)
class Guard:
    """What may end a command before its own end."""

    timeout_seconds: float
    cancelled: CancelCheck | None
    groups: ControlGroups | None
    watch: Watch
    is_there: Callable[[], bool]
    """Whether the workspace still exists."""


def run(order: Order, guard: Guard) -> ExecResult:
    """Run a command to its end, its limits or its time.

    Raises:
        SandboxFailed: it was not started.
        SandboxGone: the workspace was destroyed meanwhile.
    """
    began = time.monotonic()
    kills_before = guard.groups.kills_for_memory() if guard.groups else 0
    with launched(order) as started:
        run_of = _Run(started, order, guard)
        try:
            run_of.follow(began + guard.timeout_seconds)
        finally:
            run_of.finish()
    if run_of.reason == "gone" or not guard.is_there():
        raise SandboxGone("The sandbox was destroyed while a command ran in it.")
    kills = guard.groups.kills_for_memory() - kills_before if guard.groups else 0
    return run_of.result(time.monotonic() - began, out_of_memory=kills > 0)


class _Run:
    def __init__(self, started: Started, order: Order, guard: Guard) -> None:
        self.started, self.guard = started, guard
        self.stdout = Capture(order.limits.output_bytes)
        self.stderr = Capture(order.limits.output_bytes)
        self.first_process: int | None = None
        self.first_process_handle: int | None = None
        self.status = b""
        self.code: int | None = None
        self.reason = ""
        """Why we killed it: time, cancelled, gone, or the name of a limit."""

    def follow(self, deadline: float) -> None:
        """Read what it writes until it has ended or must end."""
        handle = os.pidfd_open(self.started.process.pid)
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(handle, selectors.EVENT_READ, None)
                selector.register(self.started.status, selectors.EVENT_READ, self._take_status)
                selector.register(self.started.stdout, selectors.EVENT_READ, self._take_stdout)
                selector.register(self.started.stderr, selectors.EVENT_READ, self._take_stderr)
                self._loop(selector, deadline)
        finally:
            os.close(handle)

    def _loop(self, selector: selectors.BaseSelector, deadline: float) -> None:
        asked = time.monotonic()
        while not self.reason:
            ended = False
            for key, _events in selector.select(_TICK_SECONDS):
                if key.data is None:
                    ended = True
                elif not key.data():
                    selector.unregister(key.fileobj)
            if ended:
                return
            now = time.monotonic()
            self.reason = self._why_stop(now, deadline, ask=now - asked >= _TICK_SECONDS)
            if now - asked >= _TICK_SECONDS:
                asked = now

    def _why_stop(self, now: float, deadline: float, *, ask: bool) -> str:
        if now >= deadline:
            return "time"
        if self.stdout.flooded or self.stderr.flooded:
            return "output"
        if not ask:
            return ""
        if self.guard.cancelled is not None and self.guard.cancelled():
            return "cancelled"
        if not self.guard.is_there():
            return "gone"
        if self.first_process is not None:
            return self.guard.watch.passed(self.first_process)
        return ""

    def _take_status(self) -> bool:
        data = os.read(self.started.status.fileno(), _READ_BYTES)
        self.status += data
        first, self.code = read_status(self.status)
        if first is not None and self.first_process is None:
            self._begin(first)
        return bool(data)

    def _begin(self, first_process: int) -> None:
        """Put the first process under its limits, then let it run."""
        self.first_process = first_process
        try:
            self.first_process_handle = os.pidfd_open(first_process)
            if self.guard.groups is not None:
                self.guard.groups.add(first_process)
        except ProcessLookupError:
            return  # it failed on its own and will say why
        except OSError as error:
            raise SandboxFailed(f"A command could not be put under limits: {error}") from error
        self.started.start.write(b"1")
        self.started.start.close()

    def _take_stdout(self) -> bool:
        return _take(self.started.stdout, self.stdout)

    def _take_stderr(self) -> bool:
        return _take(self.started.stderr, self.stderr)

    def finish(self) -> None:
        """Kill what is left and read what it still wrote."""
        self.started.process.kill()
        if self.first_process_handle is not None:
            try:
                signal.pidfd_send_signal(self.first_process_handle, signal.SIGKILL)
            except ProcessLookupError:
                pass
            finally:
                os.close(self.first_process_handle)
        self.started.process.wait()
        deadline = time.monotonic() + _DRAIN_SECONDS
        for stream, capture in (
            (self.started.stdout, self.stdout),
            (self.started.stderr, self.stderr),
        ):
            os.set_blocking(stream.fileno(), False)
            _drain(stream, capture, deadline)
        os.set_blocking(self.started.status.fileno(), False)
        _drain_status(self)

    def result(self, seconds: float, *, out_of_memory: bool) -> ExecResult:
        """Return how it ended."""
        if self.code is None and not self.reason:
            raise SandboxFailed(_why_not_started(self.stderr.data), retry=False)
        over = self.reason if self.reason not in {"time", "cancelled", "memory"} else ""
        if not self.reason and (self.stdout.flooded or self.stderr.flooded):
            over = "output"
        return ExecResult(
            exit_code=None if self.reason else self.code,
            stdout=self.stdout.data,
            stderr=self.stderr.data,
            stdout_truncated=self.stdout.truncated,
            stderr_truncated=self.stderr.truncated,
            timed_out=self.reason == "time",
            cancelled=self.reason == "cancelled",
            out_of_memory=out_of_memory or self.reason == "memory",
            over_limit=over,
            duration_seconds=seconds,
        )


def _take(stream: IO[bytes], capture: Capture) -> bool:
    data = os.read(stream.fileno(), _READ_BYTES)
    capture.add(data)
    return bool(data)


def _drain(stream: IO[bytes], capture: Capture, deadline: float) -> None:
    while time.monotonic() < deadline:
        try:
            if not _take(stream, capture):
                return
        except BlockingIOError:
            return


def _drain_status(run_of: _Run) -> None:
    try:
        while data := os.read(run_of.started.status.fileno(), _READ_BYTES):
            run_of.status += data
    except BlockingIOError:
        pass
    _first, run_of.code = read_status(run_of.status)


def _why_not_started(stderr: bytes) -> str:
    words = stderr.decode("utf-8", "replace").strip().splitlines()
    return f"bubblewrap could not start a command: {words[-1] if words else 'it says nothing'}"
