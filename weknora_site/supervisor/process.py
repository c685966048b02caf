"""The two ways a supervised process comes to life: a new program, or a fork of this one.

The Python processes of the product are forks of a supervisor that has loaded the code once: they
share its memory, and start in a fraction of a second instead of several.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import NoReturn, Protocol

from core.embedded.layout import REPOSITORY_DIR
from core.embedded.processes import die_with_parent
from weknora_site.supervisor.program import Program

_RESET_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)


class Process(Protocol):
    """A child of ours that runs or has run."""

    pid: int
    output: int
    """Descriptor of what it prints."""

    def poll(self) -> int | None:
        """Return the exit code (negative: the signal), None while it runs."""
        ...

    def wait(self) -> None:
        """Return when it has ended."""
        ...

    def close(self) -> None:
        """Close our end of its output."""
        ...


class SpawnedProcess:
    """A program of its own."""

    def __init__(self, argv: tuple[str, ...], *, environment: Mapping[str, str]) -> None:
        """Start it.

        It leads a process group: Ctrl-C in the terminal reaches the supervisor only, which ends
        all in order, and what the process itself has started can be ended with it.
        """
        self.output, write = _pipe()
        try:
            self._popen = subprocess.Popen(  # noqa: S603  our own programs
                argv,
                stdin=subprocess.DEVNULL,
                stdout=write,
                stderr=write,
                cwd=REPOSITORY_DIR,
                env=dict(environment),
                process_group=0,
                preexec_fn=die_with_parent(signal.SIGKILL),
            )
        except OSError:
            os.close(self.output)
            raise
        finally:
            os.close(write)
        self.pid = self._popen.pid

    def poll(self) -> int | None:
        return self._popen.poll()

    def wait(self) -> None:
        self._popen.wait()

    def close(self) -> None:
        os.close(self.output)


class ForkedProcess:
    """A fork of this process that runs a function and ends."""

    def __init__(
        self,
        entry: Callable[[], int],
        *,
        environment: Mapping[str, str],
        let_go: Callable[[], None],
    ) -> None:
        """Fork; in the child `let_go` closes what is the supervisor's alone, then `entry` runs."""
        self.output, write = _pipe()
        self._exit_code: int | None = None
        die = die_with_parent(signal.SIGKILL)
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            _become_child(entry, write, environment=environment, prepare=(die, let_go, self.close))
        os.close(write)
        _lead_group(self.pid)

    def poll(self) -> int | None:
        if self._exit_code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._exit_code = os.waitstatus_to_exitcode(status)
        return self._exit_code

    def wait(self) -> None:
        if self._exit_code is None:
            _, status = os.waitpid(self.pid, 0)
            self._exit_code = os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        os.close(self.output)


def start_process(
    program: Program, *, environment: Mapping[str, str], let_go: Callable[[], None]
) -> Process:
    """Start the program in its way.

    Raises:
        OSError: the system refuses.
    """
    whole = {**environment, **program.environment}
    if program.entry is not None:
        return ForkedProcess(program.entry, environment=whole, let_go=let_go)
    return SpawnedProcess(program.argv, environment=whole)


def _pipe() -> tuple[int, int]:
    read, write = os.pipe()
    os.set_blocking(read, False)
    return read, write


def _lead_group(pid: int) -> None:
    """Make the process the leader of a group; parent and child both do, whoever comes first."""
    try:
        os.setpgid(pid, pid)
    except OSError:
        # The other one was faster, or the child has ended.
        return


def _become_child(
    entry: Callable[[], int],
    output: int,
    *,
    environment: Mapping[str, str],
    prepare: tuple[Callable[[], None], ...],
) -> NoReturn:
    """Run the function as a process of its own; never returns into the supervisor's code."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in _RESET_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        _lead_group(os.getpid())
        for step in prepare:
            step()
        _take_output(output)
        os.environ.update(environment)
        code = int(entry())
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001  the last frame of this process: nothing may get past it
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _take_output(descriptor: int) -> None:
    """Print into the pipe from now on, line by line."""
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123  only its descriptor matters
        os.dup2(nothing.fileno(), 0)
    for standard in (1, 2):
        os.dup2(descriptor, standard)
    os.close(descriptor)
    sys.stdout = open(1, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
