"""Starts the programs, keeps them running, shows their output, ends them without a trace.

One thread and one loop: it waits for output, signals and the next planned moment. Standard
library only; Django lives in the children.
"""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from weknora_site.supervisor.child import Child, describe_exit
from weknora_site.supervisor.output import Log
from weknora_site.supervisor.program import EXIT_GIVE_UP, Program


class HasFileno(Protocol):
    """Anything that the selector can watch."""

    def fileno(self) -> int: ...


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOK_SECONDS = 0.25
DRAIN_SECONDS = 0.5
"""For the last words of a process that has ended."""


class Supervisor:
    """Runs programs until a signal or a program that gives up ends it."""

    def __init__(
        self,
        *,
        log: Log,
        environment: Mapping[str, str],
        each_second: Callable[[], None] = lambda: None,
        let_go: Callable[[], None] = lambda: None,
    ) -> None:
        """`each_second` is called about that often while the programs run.

        `let_go` is called in a fork; it closes what the owner of this object holds open.
        """
        self._log = log
        self._environment = dict(environment)
        self._each_second = each_second
        self._let_go_of_owner = let_go
        self._children: list[Child] = []
        self._selector = selectors.DefaultSelector()
        self._signals: list[int] = []
        self._failed = False
        self._wake_read, self._wake_write = os.pipe()
        for descriptor in (self._wake_read, self._wake_write):
            os.set_blocking(descriptor, False)
        self._selector.register(self._wake_read, selectors.EVENT_READ, self._empty_wake_pipe)

    def listen_to_signals(self) -> None:
        """Let signals end the loop in order; the wake-up pipe makes it notice at once."""
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        for number in (*_SIGNALS, signal.SIGCHLD):
            signal.signal(number, lambda got, _: self._signals.append(got))

    @property
    def asked_to_end(self) -> bool:
        """Whether a signal that ends us has come."""
        return self._times_asked() > 0

    def run_once(self, program: Program) -> int | None:
        """Run a program to its end; return its exit code, None when a signal cut it short."""
        child = self.begin(program)
        while (code := child.exit_code()) is None and not self.asked_to_end:
            self._wait(LOOK_SECONDS)
        if code is None:
            self._end([child])
        else:
            self._drain(child)
        self._children.remove(child)
        return code

    def begin(self, program: Program) -> Child:
        """Start a program now and keep it among the others."""
        child = Child(program, environment=self._environment, let_go=self._let_go)
        self._children.append(child)
        self._start(child)
        return child

    def run(self, programs: Sequence[Program]) -> int:
        """Run the programs, and those begun before, until we are asked to end.

        Returns the exit code; ending the processes is `end_all`'s part.
        """
        for program in programs:
            self.begin(program)
        last_second = 0.0
        while not self.asked_to_end and not self._failed:
            self._start_what_is_due()
            self._wait(LOOK_SECONDS)
            self._look_after_dead()
            if time.monotonic() - last_second >= 1.0:
                last_second = time.monotonic()
                self._each_second()
        return 1 if self._failed else 0

    def end_all(self) -> None:
        """End every process, and last what others need while they end."""
        self._end([child for child in self._children if not child.program.stop_last])
        self._end([child for child in self._children if child.program.stop_last])

    def watch(self, source: HasFileno, on_readable: Callable[[], None]) -> None:
        """Call the function whenever there is something to read."""
        self._selector.register(source, selectors.EVENT_READ, on_readable)

    def unwatch(self, source: HasFileno) -> None:
        """Stop watching."""
        self._selector.unregister(source)

    def _let_go(self) -> None:
        """Close, in a fork, what is the supervisor's alone."""
        self._let_go_of_owner()
        self._selector.close()
        for descriptor in (self._wake_read, self._wake_write):
            os.close(descriptor)
        for child in self._children:
            child.let_go()

    def _start_what_is_due(self) -> None:
        for child in self._children:
            if child.start_at is not None and time.monotonic() >= child.start_at:
                self._start(child)

    def _start(self, child: Child) -> None:
        try:
            descriptor = child.start()
        except OSError as error:
            pause = child.plan_restart()
            self._log.say(f"{child.name} cannot be started ({error}); again in {pause:.1f} s")
            return
        self._selector.register(descriptor, selectors.EVENT_READ, child)

    def _wait(self, seconds: float) -> None:
        """Wait for output or a signal, and pass the output on."""
        for key, _ in self._selector.select(seconds):
            if isinstance(key.data, Child):
                self._pass_on(key.data, key.fd)
            else:
                key.data()

    def _pass_on(self, child: Child, descriptor: int) -> None:
        lines, goes_on = child.read()
        for line in lines:
            self._log.line(child.name, line)
        if not goes_on:
            self._selector.unregister(descriptor)

    def _empty_wake_pipe(self) -> None:
        try:
            while os.read(self._wake_read, 1024):
                pass
        except BlockingIOError:
            return

    def _look_after_dead(self) -> None:
        for child in self._children:
            code = child.exit_code()
            if code is None:
                continue
            self._drain(child)
            if code == EXIT_GIVE_UP:
                self._log.say(f"{child.name} cannot work, see above; ending the rest")
                self._failed = True
                return
            pause = child.plan_restart()
            self._log.say(f"{child.name} {describe_exit(code)}; starting it again in {pause:.1f} s")

    def _drain(self, child: Child) -> None:
        """Show the last words of a process that has ended, then let go of it."""
        deadline = time.monotonic() + DRAIN_SECONDS
        while time.monotonic() < deadline:
            lines, goes_on = child.read()
            for line in lines:
                self._log.line(child.name, line)
            if not lines or not goes_on:
                break
        for key in list(self._selector.get_map().values()):
            if key.data is child:
                self._selector.unregister(key.fd)
        child.forget()

    def _end(self, children: Sequence[Child]) -> None:
        """Ask the processes to end; force those that do not, all at once on a second Ctrl-C."""
        asked_before = self._times_asked()
        forced: set[str] = set()
        asked_at = time.monotonic()
        for child in children:
            child.start_at = None
            child.signal(signal.SIGTERM)
        while running := [child for child in children if child.pid and child.exit_code() is None]:
            waited = time.monotonic() - asked_at
            for child in running:
                late = waited > child.program.grace_seconds or self._times_asked() > asked_before
                if late and child.name not in forced:
                    forced.add(child.name)
                    self._log.say(f"{child.name} does not end by itself; forcing it")
                    child.signal(signal.SIGKILL)
            self._wait(0.05)
        for child in children:
            self._drain(child)

    def _times_asked(self) -> int:
        return len([number for number in self._signals if number in _SIGNALS])
