"""K: outliving the command, killing what belongs to the platform."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandbox.backends.bubblewrap.places import default_places
from sandbox.contract import SandboxLimits
from sandbox.errors import SandboxFailed, SandboxGone
from tests.sandbox.backends.conftest import Shell

pytestmark = pytest.mark.slow


def alive(marker: str) -> list[int]:
    """Return the processes of this machine whose command line has a word."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if marker.encode() in words:
            found.append(int(entry.name))
    return found


def nothing_alive(marker: str, *, seconds: float = 5.0) -> bool:
    """Wait until no process has the word."""
    deadline = time.monotonic() + seconds
    while alive(marker):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_k1_detached_processes_end_with_the_command(shell: Shell) -> None:
    script = """
setsid sleep 98701 & nohup sleep 98701 >/dev/null 2>&1 &
(setsid bash -c 'trap "" TERM HUP INT; sleep 98701; sleep 98701' &) ; sleep 0.3
"""
    shell.sh(script)

    assert nothing_alive("98701")


@pytest.mark.parametrize(
    "trick", ["setsid sleep 98702 & wait", "kill -9 $PPID; setsid sleep 98702 & sleep 98702"]
)
def test_k2_a_time_out_cannot_be_evaded(shell: Shell, trick: str) -> None:
    shell.sh(trick, seconds=1)

    assert nothing_alive("98702")
    assert shell.still_works()


def test_k3_a_background_job_ends_after_success(shell: Shell) -> None:
    result = shell.sh("sleep 98703 >/dev/null 2>&1 & echo done")

    assert result.exit_code == 0
    assert nothing_alive("98703")


def test_k4_a_background_job_that_holds_the_output_does_not_hang(shell: Shell) -> None:
    began = time.monotonic()
    result = shell.sh("sleep 98704 & echo done", seconds=3)

    assert result.stdout == b"done\n"
    assert time.monotonic() - began < 9
    assert nothing_alive("98704")


def test_k5_nothing_outside_of_the_command_can_be_killed(shell: Shell) -> None:
    shell.sh("kill -9 1; kill -9 -1")

    assert shell.still_works()


def test_k6_zombies_do_not_pile_up(shell: Shell) -> None:
    code = """
import os
for _ in range(30):
    if os.fork() == 0:
        if os.fork() == 0: os._exit(0)
        os._exit(0)
    os.wait()
"""
    for _ in range(4):
        assert shell.py(code).exit_code == 0
    assert shell.still_works()


def test_k7_a_killed_worker_leaves_a_workspace_that_the_reaper_finds(shell: Shell) -> None:
    if shell.tried.name != "bubblewrap":
        pytest.skip("the worker of this test uses bubblewrap as it is")
    program = f"""
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "weknora_site.settings"
import django
from django.conf import settings
settings.SECRET_KEY = "only-for-tests"
from sandbox.backends.bubblewrap.backend import BubblewrapBackend
from sandbox.backends.bubblewrap.places import Places
from sandbox.contract import SandboxLimits
from pathlib import Path
places = Places(Path({str(default_places().root)!r}))
workspace = BubblewrapBackend(places).create("killed-worker", SandboxLimits())
workspace.exec(["sh", "-c", "setsid sleep 98707 & sleep 98707"], timeout_seconds=60)
"""
    worker = subprocess.Popen([sys.executable, "-c", program])
    deadline = time.monotonic() + 20
    while not alive("98707") and time.monotonic() < deadline:
        time.sleep(0.05)
    started = bool(alive("98707"))
    worker.send_signal(signal.SIGKILL)
    worker.wait()

    assert started
    assert nothing_alive("98707")
    assert "killed-worker" in [info.key for info in shell.tried.backend.list()]
    shell.tried.backend.destroy("killed-worker")
    assert "killed-worker" not in [info.key for info in shell.tried.backend.list()]


def test_k9_commands_work_after_an_undrained_flood(shell: Shell) -> None:
    for _ in range(3):
        shell.sh("yes", seconds=5)
        assert shell.still_works()


def test_k10_six_makers_at_once_get_one_workspace(shell: Shell) -> None:
    key = shell.workspace.key + "-six"
    shell.tried.keys.append(key)
    backend = shell.tried.backend
    if shell.tried.name != "docker":
        pytest.skip("directories are made under the caller's lock")
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda _: backend.create(key, SandboxLimits()), range(6)))

    made[0].put("one.txt", b"1")
    assert [workspace.get("one.txt", max_bytes=9) for workspace in made] == [b"1"] * 6


def test_k11_destroying_while_a_command_runs_is_told(shell: Shell) -> None:
    timer = threading.Timer(0.7, lambda: shell.tried.backend.destroy(shell.workspace.key))
    timer.start()
    with pytest.raises((SandboxGone, SandboxFailed)):
        shell.sh("sleep 98711", seconds=15)
    timer.join()

    assert nothing_alive("98711")
    with pytest.raises(SandboxGone):
        shell.sh("true")
    with pytest.raises(SandboxGone):
        shell.workspace.put("x", b"")


def test_cancelling_kills_the_whole_tree(shell: Shell) -> None:
    began = time.monotonic()
    result = shell.sh(
        "setsid sleep 98712 & sleep 98712", cancelled=lambda: time.monotonic() - began > 0.7
    )

    assert result.cancelled
    assert result.exit_code is None
    assert nothing_alive("98712")


def test_exit_codes_and_signals_are_told(shell: Shell) -> None:
    assert shell.sh("exit 7").exit_code == 7
    assert shell.sh("kill -TERM $$").exit_code == 128 + signal.SIGTERM
    assert shell.workspace.exec(["no-such-program"], timeout_seconds=10).exit_code == 127
