"""Starting and ending the servers' processes so that none is ever left behind.

Standard library only: the keeper and the supervisor are made of this and stay small.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, TypedDict

from core.embedded.unprivileged import ServerAccount

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)
SERVER_ENVIRONMENT: Mapping[str, str] = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}


def die_with_parent(death_signal: signal.Signals) -> Callable[[], None]:
    """Return what a child runs before exec: the kernel then signals it when its parent dies.

    Must be passed by a process with a single thread (the signal is bound to the thread that
    forked), as `preexec_fn`, which runs after the user has changed: a change of user would
    clear the wish.
    """
    parent = os.getpid()
    prctl = getattr(_LIBC, "prctl", None)

    def ask() -> None:
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return ask


def spawn(
    argv: Sequence[str | Path],
    *,
    account: ServerAccount | None,
    working_dir: Path,
    output: IO[bytes],
    death_signal: signal.Signals,
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start a server in its own process group; it gets no variable of ours.

    `working_dir` is entered before the user changes, so it may lie where the account cannot go.
    """
    return subprocess.Popen(  # noqa: S603  our own programs
        [str(part) for part in argv],
        stdin=stdin,
        stdout=output,
        stderr=subprocess.STDOUT,
        cwd=working_dir,
        env=dict(SERVER_ENVIRONMENT),
        process_group=0,
        preexec_fn=die_with_parent(death_signal),
        **credentials(account),
    )


class Credentials(TypedDict):
    """The arguments of `subprocess` that choose the user."""

    user: int | None
    group: int | None
    extra_groups: list[int] | None


def credentials(account: ServerAccount | None) -> Credentials:
    """Return the arguments that make `subprocess` run as the account, or as ourselves."""
    if account is None:
        return {"user": None, "group": None, "extra_groups": None}
    return {"user": account.uid, "group": account.gid, "extra_groups": []}


def end(
    process: subprocess.Popen[bytes],
    *,
    signals: Sequence[tuple[signal.Signals, float]],
) -> None:
    """Send the signals one after the other, each with its seconds of patience, then SIGKILL."""
    for number, patience_seconds in signals:
        if process.poll() is not None:
            return
        process.send_signal(number)
        try:
            process.wait(patience_seconds)
        except subprocess.TimeoutExpired:
            continue
        return
    process.kill()
    process.wait()


def is_alive(pid: int) -> bool:
    """Say whether the process exists and is no zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return Path("/proc/self").exists() is False
    return stat.rpartition(")")[2].split()[:1] != ["Z"]


def works_in(pid: int, directory: Path) -> bool:
    """Say whether the process' working directory is this one (False when that cannot be seen)."""
    try:
        return Path(f"/proc/{pid}/cwd").samefile(directory)
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], *, timeout_seconds: float) -> bool:
    """Ask every 20 ms until the condition holds; return whether it did in time."""
    deadline = time.monotonic() + timeout_seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
