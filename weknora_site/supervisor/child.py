"""One supervised process: its start, its output, its death and when to start it again."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping

from weknora_site.supervisor.output import LineBuffer
from weknora_site.supervisor.process import Process, start_process
from weknora_site.supervisor.program import Program

FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
STEADY_SECONDS = 20.0
"""Who lived this long was well; the next pause is the first one again."""


class Child:
    """A program and the process that runs it, if one does."""

    def __init__(
        self,
        program: Program,
        *,
        environment: Mapping[str, str],
        let_go: Callable[[], None],
    ) -> None:
        """`let_go` runs in a fork, and closes there what is the supervisor's alone."""
        self.program = program
        self.lines = LineBuffer()
        self.start_at: float | None = 0.0
        """On the clock of `time.monotonic`; None while it runs or must not run again."""
        self._environment = environment
        self._let_go = let_go
        self._process: Process | None = None
        self._started_at = 0.0
        self._failures = 0

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def pid(self) -> int | None:
        """The process' id, None when none runs."""
        return self._process.pid if self._process is not None else None

    def start(self) -> int:
        """Start the process; return the descriptor of its output."""
        self._process = start_process(
            self.program, environment=self._environment, let_go=self._let_go
        )
        self._started_at = time.monotonic()
        self.start_at = None
        self.lines = LineBuffer()
        return self._process.output

    def read(self) -> tuple[list[str], bool]:
        """Return the lines that came and whether the output goes on."""
        if self._process is None:
            return [], False
        try:
            data = os.read(self._process.output, 65_536)
        except BlockingIOError:
            return [], True
        return (self.lines.feed(data), True) if data else (self.lines.finish(), False)

    def let_go(self) -> None:
        """Close our end of its output, in a fork that has no use for it."""
        if self._process is not None:
            self._process.close()

    def exit_code(self) -> int | None:
        """Return how the process ended, None while it runs or when there is none."""
        return self._process.poll() if self._process is not None else None

    def forget(self) -> None:
        """Let go of a process that has ended, with whatever it left in its group."""
        if self._process is not None:
            self.signal(signal.SIGKILL)
            self._process.close()
            self._process.wait()
            self._process = None

    def plan_restart(self) -> float:
        """Decide when to start again and return the pause in seconds, longer each time."""
        steady = time.monotonic() - self._started_at >= STEADY_SECONDS
        self._failures = 0 if steady else self._failures + 1
        pause = min(FIRST_PAUSE_SECONDS * 2.0 ** max(self._failures - 1, 0), LONGEST_PAUSE_SECONDS)
        self.start_at = time.monotonic() + pause
        return pause

    def signal(self, number: signal.Signals) -> None:
        """Signal the process and all of its group."""
        if self._process is None:
            return
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return


def describe_exit(code: int) -> str:
    """Return in words how a process ended."""
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
