"""One command in a container, over the raw stream of the engine.

The library's own call has neither a time-out nor limits, and what is only closed on our side goes on
inside; it would also hang later calls. So the stream is read here, shut down, and the process killed.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from docker.errors import APIError

from sandbox.backends.docker.engine import Client
from sandbox.contract import CancelCheck

USER, ROOT = "1000:1000", "0:0"
_TICK_SECONDS = 0.05
_READ_BYTES = 65_536
_HEADER_BYTES = 8
_STDERR = 2
_CODE_SECONDS = 5.0


class Sink(Protocol):
    """Takes the output; says when it is too much."""

    def add(self, data: bytes) -> None:
        """Take what came."""
        ...

    @property
    def flooded(self) -> bool:
        """Whether the command should be stopped for it."""
        ...


@dataclass(frozen=True, kw_only=True)
class Call:
    """A command to run in a container."""

    argv: Sequence[str]
    stdout: Sink
    stderr: Sink
    timeout_seconds: float
    user: str = USER
    cwd: str = "/workspace"
    variables: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes | None = None
    cancelled: CancelCheck | None = None


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a call ended."""

    code: int | None
    """None when it was still alive when we stopped reading."""
    reason: str
    """Why we stopped: time, cancelled or output; empty when it ended by itself."""


def execute(client: Client, container_id: str, call: Call, *, stop: Callable[[], None]) -> Ended:
    """Run a command; `stop` is called to kill it when it does not end by itself.

    Raises:
        docker.errors.APIError: the engine refuses, or the container is not there.
    """
    identifier = client.api.exec_create(
        container_id,
        list(call.argv),
        user=call.user,
        workdir=call.cwd,
        environment=dict(call.variables),
        stdin=call.stdin is not None,
    )["Id"]
    wrapped = client.api.exec_start(identifier, socket=True)
    connection: socket.socket = getattr(wrapped, "_sock", wrapped)
    try:
        reason = _Stream(connection, call).follow(time.monotonic() + call.timeout_seconds)
    finally:
        # Closing alone leaves the stream open: the library holds the response, and later calls hang.
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()
        wrapped.close()
    if reason:
        stop()
        return Ended(code=None, reason=reason)
    return Ended(code=_exit_code(client, identifier), reason="")


def _exit_code(client: Client, identifier: str) -> int | None:
    """Return the exit code; the engine may know it a moment after the stream has ended."""
    deadline = time.monotonic() + _CODE_SECONDS
    while time.monotonic() < deadline:
        try:
            found: dict[str, Any] = client.api.exec_inspect(identifier)
        except APIError:
            return None
        if not found["Running"] and found["ExitCode"] is not None:
            return int(found["ExitCode"])
        time.sleep(0.01)
    return None


class _Stream:
    """Frames of both outputs: one byte for which, four for how long, then the data."""

    def __init__(self, connection: socket.socket, call: Call) -> None:
        self._connection, self._call = connection, call
        self._pending = bytearray()
        self._unsent = memoryview(call.stdin or b"")
        self._rest = 0
        self._sink = call.stdout

    def follow(self, deadline: float) -> str:
        """Read to the end; return why it was not reached."""
        self._connection.setblocking(False)
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, self._wanted_events())
            while True:
                for _key, events in selector.select(_TICK_SECONDS):
                    if events & selectors.EVENT_WRITE:
                        self._send()
                        selector.modify(self._connection, self._wanted_events())
                    if events & selectors.EVENT_READ and not self._receive():
                        return ""
                if reason := self._why_stop(deadline):
                    return reason

    def _wanted_events(self) -> int:
        sending = self._call.stdin is not None and self._unsent is not _SENT
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if sending else 0)

    def _send(self) -> None:
        try:
            if self._unsent:
                self._unsent = self._unsent[self._connection.send(self._unsent[:_READ_BYTES]) :]
            if not self._unsent:
                self._unsent = _SENT
                self._connection.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            return
        except OSError:
            self._unsent = _SENT  # it does not read its input to the end

    def _receive(self) -> bool:
        try:
            data = self._connection.recv(_READ_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._pending += data
        self._take()
        return bool(data)

    def _take(self) -> None:
        while self._pending:
            if self._rest == 0:
                if len(self._pending) < _HEADER_BYTES:
                    return
                header = bytes(self._pending[:_HEADER_BYTES])
                del self._pending[:_HEADER_BYTES]
                self._sink = self._call.stderr if header[0] == _STDERR else self._call.stdout
                self._rest = int.from_bytes(header[4:], "big")
            data = bytes(self._pending[: self._rest])
            del self._pending[: len(data)]
            self._rest -= len(data)
            self._sink.add(data)

    def _why_stop(self, deadline: float) -> str:
        if self._call.stdout.flooded or self._call.stderr.flooded:
            return "output"
        if time.monotonic() >= deadline:
            return "time"
        if self._call.cancelled is not None and self._call.cancelled():
            return "cancelled"
        return ""


_SENT = memoryview(b"")
