"""The loop with small programs: order, restarts, ends. Each supervisor is a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from core.embedded.layout import REPOSITORY_DIR
from core.embedded.processes import is_alive, wait_until

HARNESS = """
import os, sys
from weknora_site.supervisor.output import Log
from weknora_site.supervisor.program import Program
from weknora_site.supervisor.supervisor import Supervisor

supervisor = Supervisor(log=Log(), environment=dict(os.environ), each_second=lambda: None)
supervisor.listen_to_signals()

def program(name, code, grace):
    if code.startswith("fork "):
        namespace = {}
        exec("def entry():\\n " + code.removeprefix("fork "), namespace)
        return Program(name=name, entry=namespace["entry"], grace_seconds=float(grace))
    return Program(name=name, argv=(sys.executable, "-uc", code), grace_seconds=float(grace))

programs = list(map(program, sys.argv[1::3], sys.argv[2::3], sys.argv[3::3]))
try:
    code = supervisor.run(programs)
finally:
    supervisor.end_all()
sys.exit(code)
"""
STEADY = "import os, time; print('pid', os.getpid()); time.sleep(600)"
STUBBORN = (
    "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('pid', os.getpid()); time.sleep(600)"
)
WITH_GRANDCHILD = (
    "import os, subprocess, sys, time;"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
    "print('pid', child.pid); print('pid', os.getpid()); time.sleep(600)"
)


class Harness:
    """A supervisor in a process of its own, and the lines that it writes."""

    def __init__(self, *programs: tuple[str, str, float]) -> None:
        arguments = [str(part) for program in programs for part in program]
        self.process = subprocess.Popen(
            [sys.executable, "-c", HARNESS, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=REPOSITORY_DIR,
            text=True,
        )
        self.lines: list[str] = []

    def await_lines(self, text: str, *, count: int = 1) -> list[str]:
        """Read until as many lines hold the text; return those lines."""
        assert self.process.stdout is not None
        while len(found := [line for line in self.lines if text in line]) < count:
            line = self.process.stdout.readline()
            assert line, f"ended without {text!r}:\n" + "".join(self.lines)
            self.lines.append(line)
        return found

    def pids(self, count: int) -> list[int]:
        """Return the pids that the programs printed."""
        return [int(line.rpartition("pid ")[2]) for line in self.await_lines("pid ", count=count)]

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Signal the supervisor, read the rest and return its exit code."""
        self.process.send_signal(number)
        output, _ = self.process.communicate(timeout=30)
        self.lines += output.splitlines(keepends=True)
        return self.process.returncode


@pytest.fixture
def start() -> Iterator[type[Harness]]:
    """The harness class; what is started through it is ended with the test."""
    made: list[Harness] = []

    class Remembering(Harness):
        def __init__(self, *programs: tuple[str, str, float]) -> None:
            super().__init__(*programs)
            made.append(self)

    yield Remembering
    for harness in made:
        if harness.process.poll() is None:
            harness.process.terminate()
        harness.process.wait(timeout=30)
        if harness.process.stdout is not None:
            harness.process.stdout.close()


def all_gone(pids: list[int]) -> bool:
    return wait_until(lambda: not any(map(is_alive, pids)), timeout_seconds=10)


def test_lines_carry_time_and_name(start):
    harness = start(("web", "print('hello'); import time; time.sleep(600)", 1))
    line = harness.await_lines("hello")[0]
    assert line[8:] == " web     | hello\n"
    assert line[2] == line[5] == ":"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signal_ends_every_process(start, number):
    harness = start(("a", STEADY, 5), ("b", WITH_GRANDCHILD, 5))
    pids = harness.pids(3)
    assert harness.end(number) == 0
    assert all_gone(pids)


def test_killed_supervisor_takes_its_programs_along(start):
    harness = start(("a", STEADY, 5), ("b", STUBBORN, 5))
    pids = harness.pids(2)
    harness.end(signal.SIGKILL)
    assert all_gone(pids)


def test_program_that_ignores_the_request_is_forced_after_its_grace(start):
    harness = start(("stubborn", STUBBORN, 0.5))
    pids = harness.pids(1)
    assert harness.end() == 0
    assert all_gone(pids)
    assert any("forcing it" in line for line in harness.lines)


def test_second_request_forces_at_once(start):
    harness = start(("stubborn", STUBBORN, 300))
    harness.pids(1)
    harness.process.send_signal(signal.SIGINT)
    time.sleep(0.3)  # two signals that come together count as one
    began = time.monotonic()
    assert harness.end(signal.SIGINT) == 0
    assert time.monotonic() - began < 20


def test_dead_program_is_started_again_with_growing_pauses(start):
    harness = start(("web", "raise SystemExit(7)", 1))
    lines = harness.await_lines("starting it again", count=3)
    pauses = [float(line.rpartition(" in ")[2].removesuffix(" s\n")) for line in lines]
    assert pauses == [0.5, 1.0, 2.0]
    assert "web ended with code 7" in lines[0]


def test_killed_program_is_named_by_its_signal_and_started_again(start):
    harness = start(("web", STEADY, 1))
    first = harness.pids(1)[0]
    os.kill(first, signal.SIGKILL)
    assert "was ended by SIGKILL" in harness.await_lines("starting it again")[0]
    assert harness.pids(2)[1] != first


def test_what_a_dead_program_started_ends_with_it(start):
    harness = start(("web", WITH_GRANDCHILD, 1))
    grandchild, child = harness.pids(2)
    os.kill(child, signal.SIGKILL)
    assert all_gone([grandchild])


def test_program_that_gives_up_ends_the_rest(start):
    harness = start(("a", STEADY, 2), ("web", "import time; time.sleep(1); raise SystemExit(3)", 2))
    pids = harness.pids(1)
    harness.process.wait(timeout=30)
    assert harness.process.returncode == 1
    assert all_gone(pids)


def test_last_words_of_a_dead_program_are_shown(start):
    code = "import sys; sys.stderr.write('x' * 200000 + chr(10) + 'the reason'); sys.exit(3)"
    harness = start(("web", code, 1))
    assert harness.await_lines("the reason")


def test_control_characters_cannot_reach_the_terminal(start):
    harness = start(("web", "print('a\\x1b[31mb\\x07'); import time; time.sleep(600)", 1))
    line = harness.await_lines("a")[0]
    assert "\x1b" not in line
    assert "\x07" not in line


def test_closed_output_does_not_stop_the_programs(start, tmp_path):
    mark = tmp_path / "mark"
    code = (
        "import time, pathlib\n"
        "while True: print('line', flush=True);"
        f" pathlib.Path({str(mark)!r}).touch(); time.sleep(0.05)"
    )
    harness = start(("web", code, 1))
    harness.await_lines("line")
    assert harness.process.stdout is not None
    harness.process.stdout.close()
    for _ in range(3):
        assert wait_until(mark.exists, timeout_seconds=10)
        mark.unlink()
    harness.process.terminate()
    assert harness.process.wait(timeout=20) == 0


FORKED = "fork import os, time; print('pid', os.getpid()); time.sleep(600)"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_fork_ends_with_the_supervisor(start, number):
    harness = start(("a", FORKED, 5), ("b", FORKED, 5))
    pids = harness.pids(2)
    harness.end(number)
    assert all_gone(pids)


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("return None", "ended with code 1"),
        ("raise ValueError('reason')", "ended with code 1"),
        ("import sys; sys.exit('reason')", "ended with code 1"),
        ("import sys; sys.exit(5)", "ended with code 5"),
        ("return 0", "ended with code 0"),
        ("import sys; sys.stdout.close()", "ended with code 1"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
    ],
)
def test_fork_never_gets_back_into_the_supervisor(start, ending, said):
    harness = start(("a", STEADY, 5), ("web", f"fork {ending}", 1))
    steady = harness.pids(1)[0]
    lines = harness.await_lines("starting it again", count=2)
    assert all(said in line for line in lines)
    assert is_alive(steady)
    assert harness.end() == 0


def test_fork_holds_nothing_of_the_supervisor_open(start):
    code = (
        "fork import os; fds = map(int, os.listdir('/proc/self/fd'));"
        "print('open', [fd for fd in fds if os.path.exists(f'/proc/self/fd/{fd}')])"
    )
    harness = start(("a", STEADY, 5), ("web", code + "; import time; time.sleep(600)", 1))
    assert harness.await_lines("open")[0].endswith("open [0, 1, 2]\n")


def test_supervisor_is_light():
    code = "import sys, weknora_site.supervisor.main; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=REPOSITORY_DIR,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"django", "celery", "psycopg", "redis", "twisted", "httpx"}
