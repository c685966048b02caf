"""Parts of a benchmark that run in forks of its process, beside workers that may be killed."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn


def fork(task: Callable[[], int | None]) -> int:
    """Run the task in a fork of this process; return its pid."""
    pid = os.fork()
    if pid == 0:
        _be_child(task)
    return pid


def has_ended(pid: int) -> bool:
    """Say whether a child has ended, without reaping it."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def wait_for(pid: int, *, what: str) -> None:
    """Wait until a child has ended well.

    Raises:
        SystemExit: it failed; its own words are above.
    """
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
        raise SystemExit(f"{what}: a part failed, see above")


def kill(pid: int) -> None:
    """End a child at once, as a crash would."""
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _be_child(task: Callable[[], int | None]) -> NoReturn:
    code = 1
    try:
        code = task() or 0
    except SystemExit as end:
        code = int(end.code or 0)
    except Exception:  # noqa: BLE001  it must never return into the parent's code
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)
