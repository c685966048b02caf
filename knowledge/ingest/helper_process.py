"""Our end of a helper process (parsers, OCR): started on first use, shared by all threads.

One message on the control socket is one piece of work, with descriptors: its content, an empty
file for the answer, one for error output, and a line that reports the end. The answer is one line
of JSON, maybe with bytes behind it.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.isolation import Limits, clean_environment

_PROJECT = Path(__file__).resolve().parents[2]
_CANCEL_POLL_SECONDS = 0.2
_GRACE_SECONDS = 10.0
"""The parser process enforces the deadline; if it does not, we let go after so much more."""
_ATTEMPTS = 3


class ParseCancelled(Exception):
    """The caller's `should_cancel` said so; the work was killed."""


class HelperUnavailable(RuntimeError):
    """The process cannot be started: the installation is at fault, not the file."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How one piece of isolated work ended."""

    answer: dict[str, Any] | None
    """What it wrote; None when it died before."""
    payload: bytes = b""
    """What it wrote behind the answer: pixels."""
    signal: int = 0
    timed_out: bool = False
    out_of_memory: bool = False
    """It was stopped for its resident memory."""
    errors: str = ""
    """Last words on its error output."""
    peak_bytes: int = 0
    cpu_seconds: float = 0.0


class HelperProcess:
    """Sends work to `module`, run as a process of its own; thread-safe."""

    def __init__(
        self,
        module: str,
        *,
        idle_seconds: float = 30.0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Name the `module` to run, and what its `environment` needs beyond the clean one."""
        self._module = module
        self._idle_seconds = idle_seconds
        self._environment = clean_environment() | dict(environment or {})
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        os.register_at_fork(after_in_child=self._forget)

    def run(
        self,
        request: dict[str, Any],
        *,
        content: int,
        limits: Limits,
        should_cancel: Callable[[], bool] | None,
    ) -> Outcome:
        """Have `request` done on the file of descriptor `content` and wait for it.

        Raises:
            ParseCancelled: `should_cancel` returned True meanwhile.
            HelperUnavailable: the process does not start.
        """
        message = json.dumps(request | {"limits": asdict(limits)}).encode()
        for _ in range(_ATTEMPTS):
            outcome = self._attempt(message, content, limits, should_cancel)
            if outcome is not None:
                return outcome
        raise HelperUnavailable(
            f"{self._module} ended before it answered; its last words are in our error output. "
            "Check that the packages of requirements.txt are installed."
        )

    def _attempt(
        self,
        message: bytes,
        content: int,
        limits: Limits,
        should_cancel: Callable[[], bool] | None,
    ) -> Outcome | None:
        """Try once; None when the process was gone (idle, killed) before it answered."""
        ours, theirs = socket.socketpair()
        result, errors = os.memfd_create("result"), os.memfd_create("errors")
        try:
            with theirs:
                if not self._send(message, [content, result, errors, theirs.fileno()]):
                    return None
            report = _wait(ours, limits.wall_seconds + _GRACE_SECONDS, should_cancel)
            if report is None:
                return None
            if not report:
                self.stop()
            return _outcome(report, _read_all(result), _read_all(errors))
        finally:
            ours.close()
            os.close(result)
            os.close(errors)

    def _send(self, message: bytes, descriptors: list[int]) -> bool:
        with self._lock:
            control = self._running()
            try:
                socket.send_fds(control, [message], descriptors)
            except OSError:
                self._stop()
                return False
            return True

    def _running(self) -> socket.socket:
        if self._control is not None and self._process is not None and self._process.poll() is None:
            return self._control
        self._stop()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, no input in it
                [
                    sys.executable,
                    "-m",
                    self._module,
                    str(theirs.fileno()),
                    str(self._idle_seconds),
                ],
                cwd=_PROJECT,
                env=self._environment,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        # It ends by itself when idle: somebody must collect it then.
        threading.Thread(target=self._process.wait, daemon=True).start()
        self._control = ours
        return ours

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
        self._control = self._process = None

    @property
    def process_id(self) -> int | None:
        """The process, while it runs."""
        with self._lock:
            running = self._process is not None and self._process.poll() is None
            return self._process.pid if running and self._process is not None else None

    def stop(self) -> None:
        """End the process; work in flight dies with it."""
        with self._lock:
            if self._process is not None:
                self._process.kill()
            self._stop()

    def _forget(self) -> None:
        """In a forked child: the process belongs to the parent."""
        self._lock = threading.Lock()
        self._stop()


def _wait(
    line: socket.socket, seconds: float, should_cancel: Callable[[], bool] | None
) -> bytes | None:
    """Return the report, empty when it never came in time, None when the line went dead."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if should_cancel is not None and should_cancel():
            raise ParseCancelled("The work was cancelled.")
        if select.select([line], [], [], _CANCEL_POLL_SECONDS)[0]:
            try:
                return line.recv(4_096) or None
            except ConnectionError:
                return None
    return b""


def _outcome(report: bytes, answer: bytes, errors: bytes) -> Outcome:
    fields = json.loads(report) if report else {"signal": 9, "timed_out": True}
    killed = fields["timed_out"] or fields.get("out_of_memory", False)
    intact = not fields["signal"] and not killed
    head, _, payload = answer.partition(b"\n") if intact else (b"", b"", b"")
    return Outcome(
        answer=json.loads(head) if head else None,
        payload=payload,
        errors=errors[-2_000:].decode("utf-8", "replace"),
        **fields,
    )


def _read_all(descriptor: int) -> bytes:
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
