"""What a sandbox costs: making a workspace, a warm command, fifty conversations at once, no orphans.

Every figure stands beside a bare subprocess of the same run, because the machine may be busy: the
ratio says more than the milliseconds. `--backend docker` uses WEKNORA_SANDBOX_DOCKER_URL.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import _django  # noqa: F401  sets Django up
from benchmarks._report import NO_DATA, finish, print_table
from sandbox.backends.registry import backend_named
from sandbox.contract import SandboxBackend, SandboxLimits

TARGETS = {"bubblewrap": (50.0, 20.0), "docker": (100.0, 600.0)}
"""Most milliseconds at the median: a warm command, a new workspace."""
COMMANDS, WORKSPACES, CONVERSATIONS = 60, 15, 50
MARKER = "98799"


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", choices=sorted(TARGETS), default="bubblewrap")
    name = parser.parse_args().backend
    backend = backend_named(name, {})
    probe = backend.probe()
    if not probe.works:
        sys.stdout.write(f"sandbox {name}: skipped: {probe.detail}\n")
        return NO_DATA
    bare = timed(COMMANDS, lambda _: subprocess.run(["/usr/bin/true"], check=True))
    create = timed(WORKSPACES, lambda number: backend.create(f"bench-{number}", SandboxLimits()))
    workspace = backend.create("bench-0", SandboxLimits())
    warm = timed(COMMANDS, lambda _: workspace.exec(["/usr/bin/true"], timeout_seconds=30))
    for number in range(WORKSPACES):
        backend.destroy(f"bench-{number}")
    wall, failed = conversations(backend)
    left = orphans(name)
    rows = [
        row("bare subprocess", bare, bare),
        row("new workspace", create, bare),
        row("warm command", warm, bare),
    ]
    print_table(("", "min ms", "p50 ms", "p95 ms", "x bare p50"), rows)
    print_table(
        ("", "value"),
        [
            (f"{CONVERSATIONS} conversations at once: seconds for all", f"{wall:.1f}"),
            ("  of them failed", failed),
            ("processes left 2 s after kill -9 of the worker", left),
        ],
    )
    most_exec, most_create = TARGETS[name]
    exec_ms, create_ms = statistics.median(warm), statistics.median(create)
    met = exec_ms < most_exec and create_ms < most_create and not failed and not left
    return finish(
        f"sandbox {name}",
        f"command {exec_ms:.0f} ms, start {create_ms:.0f} ms, {failed} failed, {left} orphans",
        target=f"< {most_exec:.0f} ms, < {most_create:.0f} ms, 0, 0",
        met=met,
    )


def timed(times: int, work: Callable[[int], object]) -> list[float]:
    """Return how long each call took, milliseconds."""
    found = []
    for number in range(times):
        began = time.perf_counter()
        work(number)
        found.append((time.perf_counter() - began) * 1000)
    return found


def row(name: str, values: list[float], bare: list[float]) -> tuple[str, ...]:
    """Return a line of the table."""
    ordered = sorted(values)
    middle = statistics.median(ordered)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    ratio = middle / statistics.median(bare)
    return (name, f"{ordered[0]:.1f}", f"{middle:.1f}", f"{p95:.1f}", f"{ratio:.1f}")


def conversations(backend: SandboxBackend) -> tuple[float, int]:
    """Run fifty conversations at once; return the seconds and how many saw anything but their own."""

    def converse(number: int) -> bool:
        key = f"bench-many-{number}"
        try:
            workspace = backend.create(key, SandboxLimits())
            workspace.put("mine.txt", str(number).encode())
            told = workspace.exec(["cat", "mine.txt"], timeout_seconds=120)
            return told.stdout == str(number).encode()
        finally:
            backend.destroy(key)

    began = time.perf_counter()
    with ThreadPoolExecutor(CONVERSATIONS) as pool:
        answers = list(pool.map(converse, range(CONVERSATIONS)))
    return time.perf_counter() - began, answers.count(False)


def orphans(name: str) -> int:
    """Kill a worker while its command runs; return how many processes of it live on.

    With Docker the container is the platform's until its reaper comes: `destroy` stands for it.
    """
    program = (
        "from benchmarks import _django\n"
        "from sandbox.backends.registry import backend_named\n"
        "from sandbox.contract import SandboxLimits\n"
        f"w = backend_named({name!r}, {{}}).create('bench-orphan', SandboxLimits())\n"
        f"w.exec(['sh', '-c', 'setsid sleep {MARKER} & sleep {MARKER}'], timeout_seconds=60)\n"
    )
    root = Path(__file__).resolve().parent.parent
    worker = subprocess.Popen([sys.executable, "-c", program], cwd=root)  # noqa: S603  our own
    deadline = time.monotonic() + 30
    while not living() and time.monotonic() < deadline:
        time.sleep(0.05)
    if not living():
        raise SystemExit("the worker's command did not start")
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    if name == "docker":
        backend_named(name, {}).destroy("bench-orphan")
    time.sleep(2)
    left = living()
    backend_named(name, {}).destroy("bench-orphan")
    return left


def living() -> int:
    """Return how many processes sleep for our number of seconds."""
    count = 0
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            words = Path(entry.path, "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        count += words[:2] == [b"sleep", MARKER.encode()]
    return count


if __name__ == "__main__":
    sys.exit(main())
