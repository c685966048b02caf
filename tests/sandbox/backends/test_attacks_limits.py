"""L: using more than allowed. Whatever is tried, the limit holds and the workspace works on."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from sandbox.contract import MIB, Enforcement, SandboxLimits
from tests.sandbox.backends.conftest import Shell

pytestmark = pytest.mark.slow

_OVERSHOOT = 6
"""How many times its limit something may reach for a moment where it is only watched."""


def test_l1_bash_fork_bomb(shell: Shell) -> None:
    result = shell.sh(":(){ :|:& };: ; sleep 30", seconds=2)

    assert result.timed_out or result.exit_code is not None
    assert shell.still_works()


def test_l2_python_fork_bomb_that_survives_refusals(shell: Shell) -> None:
    code = """
import os, time
made = 0
end = time.time() + 2
while time.time() < end:
    try:
        if os.fork() == 0:
            while True: time.sleep(1)
        made += 1
    except OSError:
        pass
print(made, flush=True)
"""
    result = shell.py(code, seconds=15)

    assert int(result.stdout or b"0") <= SandboxLimits().processes
    assert shell.still_works()


def test_l3_memory_hog_is_ended(shell: Shell) -> None:
    result = shell.py("x=[]\nwhile True: x.append(bytearray(8<<20))")

    assert result.exit_code != 0
    assert result.out_of_memory or b"MemoryError" in result.stderr
    assert shell.still_works()


def test_l4_two_hundred_megabytes_are_allowed(shell: Shell) -> None:
    result = shell.py("x=bytearray(180<<20); print(len(x))")

    assert result.stdout == b"188743680\n"


def test_l5_many_processes_share_one_limit_of_memory(shell: Shell) -> None:
    code = """
import os, time
ready, told = os.pipe()
for _ in range(20):
    if os.fork() == 0:
        try:
            x = bytearray(60 << 20)
            for i in range(0, len(x), 4096): x[i] = 1
            os.write(told, b"1")
            time.sleep(3)
        except MemoryError:
            pass
        os._exit(0)
time.sleep(2.5)
os.set_blocking(ready, False)
try:
    print(len(os.read(ready, 100)))
except BlockingIOError:
    print(0)
"""
    result = shell.py(code)

    assert result.out_of_memory or int(result.stdout) * 60 <= 256
    assert shell.still_works()


@pytest.mark.parametrize("place", ["/tmp", "/dev/shm"])
def test_l6_small_file_systems_cannot_be_filled_up(shell: Shell, place: str) -> None:
    result = shell.sh(f"head -c 60M /dev/zero > {place}/fill; stat -c %s {place}/fill")

    assert int(result.stdout.split()[-1]) <= 16 * MIB


def test_l7_endless_loop_is_ended_in_time(shell: Shell) -> None:
    began = time.monotonic()
    result = shell.sh("while :; do :; done", seconds=1)

    assert result.timed_out
    assert result.exit_code is None
    assert time.monotonic() - began < 8


def test_l8_four_spinners_get_one_processor(shell: Shell) -> None:
    code = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        end = time.time() + 2
        while time.time() < end: pass
        os._exit(0)
for _ in range(4): os.wait()
import resource
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)
"""
    assert float(shell.py(code).stdout) < 2.6


def test_l9_the_workspace_cannot_be_filled_beyond_its_size(shell: Shell) -> None:
    script = "for i in $(seq 40); do head -c 20M /dev/zero > f$i || break; sleep 0.05; done; true"
    result = shell.sh(script)

    entries = shell.workspace.list_files(limit=1000)
    used = sum(entry.size_bytes for entry in entries if entry.kind == "file")
    assert used <= 64 * MIB * _slack(shell, "disk")
    assert result.exit_code == 0 or result.over_limit == "disk"


def test_l10_the_number_of_files_is_limited(shell: Shell) -> None:
    code = """
for i in range(200000):
    try: open(f"/workspace/n{i}", "w").close()
    except OSError: break
"""
    shell.py(code)

    files = len(shell.workspace.list_files(limit=100_000))
    assert files <= 4096 * _slack(shell, "files")
    shell.sh("find . -maxdepth 1 -name 'n*' -delete")
    assert shell.still_works()


def test_l11_a_file_cannot_grow_beyond_its_size(shell: Shell) -> None:
    result = shell.sh("truncate -s 1T huge; stat -c %s huge 2>/dev/null || echo 0")

    assert int(result.stdout.split()[-1]) <= 32 * MIB


def test_l12_a_flood_of_output_is_cut_and_ended(shell: Shell) -> None:
    result = shell.sh("yes | head -c 4G")

    assert result.over_limit == "output"
    assert result.stdout_truncated
    assert len(result.stdout) == SandboxLimits().output_bytes
    assert shell.still_works()


def test_l13_a_flood_of_errors_keeps_the_output(shell: Shell) -> None:
    result = shell.sh("echo kept; sleep 0.2; yes >&2")

    assert result.stdout == b"kept\n"
    assert result.stderr_truncated


def test_l14_output_may_be_any_bytes(shell: Shell) -> None:
    assert shell.sh(r"printf '\377\0\376x'").stdout == b"\xff\x00\xfex"


def test_limits_are_the_ones_that_were_asked_for(
    limited: Callable[[SandboxLimits], Shell],
) -> None:
    small = limited(SandboxLimits(memory_bytes=64 * MIB, output_bytes=1000))

    hog = small.py(
        "x=bytearray(120<<20)\nfor i in range(0,len(x),4096): x[i]=1\nimport time; time.sleep(1)"
    )
    assert hog.exit_code != 0
    assert len(small.sh("head -c 3000 /dev/zero").stdout) == 1000


def _slack(shell: Shell, limit: str) -> int:
    return 1 if shell.tried.holds(limit) is Enforcement.KERNEL else _OVERSHOOT
