"""Limits for work on untrusted input: what a process may use, and how it gives up the rest.

Used by the parser process and, later, by the sandbox. Order of things in a process that will
handle untrusted input: `leave_network` at its start, then trusted imports, `drop_root`; then in
each forked child `die_with_parent` and `apply_limits`, and only then the first untrusted byte.
"""

from __future__ import annotations

import os
import resource
import signal
from dataclasses import dataclass
from typing import Literal

from core.seccomp import can_filter, forbid_system_access, libc

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_NOBODY = 65534
MIB = 1024 * 1024

Shutter = Literal["namespace", "filter", "open"]
"""What keeps a process from the network: an empty namespace, a system call filter, nothing."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one piece of untrusted work may use."""

    memory_bytes: int = 2048 * MIB
    """Address space."""
    cpu_seconds: int | None = 120
    """None for a process that lives on; whoever started it counts then."""
    wall_seconds: float = 180.0
    """Whoever started the work kills it then."""
    file_size_bytes: int = 128 * MIB
    """Largest file it may write; its result is one."""
    open_files: int = 64
    processes: int | None = None
    """Most threads and processes of its user, which the kernel counts together: only of use where
    the work has a user (namespace) to itself. The system call filter forbids new processes."""


@dataclass(frozen=True, kw_only=True)
class Confinement:
    """What holds in fact, for logs and for a warning to the owner."""

    network: Shutter
    system_calls: bool
    """Files, processes and sockets are shut by the system call filter."""


def clean_environment() -> dict[str, str]:
    """Return the environment of a process for untrusted work: nothing of ours, so no secrets."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/nonexistent",
        # Thread pools of number libraries must not exist when a process forks.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "RAYON_NUM_THREADS": "1",
        "TOKIO_WORKER_THREADS": "1",
    }


def leave_network() -> bool:
    """Move this process into an empty network namespace; False when the kernel does not let us.

    An ordinary user needs a user namespace for that, which some systems forbid and which brings
    rights of its own: it is only tried where no system call filter will hold. Call it while the
    process has one thread.
    """
    if os.geteuid() == 0:
        return bool(libc().unshare(_CLONE_NEWNET) == 0)
    if can_filter():
        return False
    return bool(libc().unshare(_CLONE_NEWUSER | _CLONE_NEWNET) == 0)


def drop_root() -> bool:
    """Become nobody for good, if this is root and may; return whether it is done.

    Python below a private home cannot be read afterwards: import everything first.
    """
    if os.geteuid() != 0:
        return False
    try:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    except PermissionError:
        # A container may take this right from its root.
        return False
    return True


def die_with_parent(parent_process_id: int) -> None:
    """Have the kernel kill this process when the thread that forked it ends."""
    libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_process_id:
        os._exit(1)


def open_descriptors() -> frozenset[int]:
    """Return the descriptors from 3 on that this process has open."""
    numbers = {int(name) for name in os.listdir("/proc/self/fd")}  # noqa: PTH208  no paths needed
    return frozenset(number for number in numbers if number > 2 and _is_open(number))


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False  # the one that listed the folder
    return True


def keep_descriptors(*kept: int) -> None:
    """Close every descriptor from 3 on that is not in `kept`."""
    first = 3
    for descriptor in sorted({*kept}):
        os.closerange(first, descriptor)
        first = max(first, descriptor + 1)
    os.closerange(first, max(resource.getrlimit(resource.RLIMIT_NOFILE)[0], first))


def apply_limits(limits: Limits, *, network_left: bool = False) -> Confinement:
    """Put this process under `limits` for good and return what holds."""
    for kind, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_FSIZE, limits.file_size_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
    ):
        _lower_limit(kind, value, value)
    if limits.processes is not None:
        _lower_limit(resource.RLIMIT_NPROC, limits.processes, limits.processes)
    if limits.cpu_seconds is not None:
        # The first limit sends SIGXCPU, which can be told from other deaths; the second kills.
        _lower_limit(resource.RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1)
    libc().prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    filtered = forbid_system_access()
    network: Shutter = "namespace" if network_left else "filter" if filtered else "open"
    return Confinement(network=network, system_calls=filtered)


def _lower_limit(kind: int, soft: int, hard: int) -> None:
    """Set a limit, or keep the stricter one that holds already."""
    present = resource.getrlimit(kind)[1]
    if present != resource.RLIM_INFINITY:
        soft, hard = min(soft, present), min(hard, present)
    resource.setrlimit(kind, (soft, hard))
