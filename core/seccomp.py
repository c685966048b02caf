"""A kernel filter for a process that only computes: no files, no network, no new programs.

It needs no privilege (`no_new_privs` is enough), so it also holds where namespaces are forbidden.
What is forbidden fails with EACCES; descriptors that are already open stay usable. Threads stay
possible, processes do not. Linux on x86-64 and arm64; elsewhere `forbid_system_access` says no.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.bpf import (
    ALLOW,
    FAIL,
    JUMP_AT_LEAST,
    JUMP_BITS,
    JUMP_EQUAL,
    LOAD,
    OFFSET_ARCH,
    OFFSET_ARGUMENTS,
    OFFSET_NUMBER,
    RETURN,
    X32_NUMBERS,
    step,
)

_REFUSE = FAIL | errno.EACCES
_CLONE_THREAD = 0x00010000
_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER = 1
_ALL_THREADS = 1


@dataclass(frozen=True)
class _Machine:
    """Numbers of one processor family."""

    audit_arch: int
    forbidden: dict[str, int]
    clone: int
    clone3: int
    seccomp: int
    only_self: dict[str, int]
    """Calls that may name this process (or 0) only, by their first argument."""


# fmt: off
_X86_64 = _Machine(
    audit_arch=0xC000003E,
    forbidden={
        "open": 2, "creat": 85, "openat": 257, "openat2": 437, "truncate": 76,
        "open_by_handle_at": 304, "rename": 82, "renameat": 264, "renameat2": 316, "mkdir": 83,
        "mkdirat": 258, "rmdir": 84, "link": 86, "linkat": 265, "unlink": 87, "unlinkat": 263,
        "symlink": 88, "symlinkat": 266, "chmod": 90, "fchmodat": 268, "chown": 92,
        "fchownat": 260, "mknod": 133, "mknodat": 259,
        "socket": 41, "connect": 42, "bind": 49, "listen": 50,
        "fork": 57, "vfork": 58, "execve": 59, "execveat": 322,
        "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "pidfd_getfd": 438,
        "pidfd_send_signal": 424, "tkill": 200,
        "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297,
        "unshare": 272, "setns": 308, "mount": 165, "umount2": 166, "chroot": 161,
        "pivot_root": 155, "bpf": 321, "perf_event_open": 298, "keyctl": 250, "add_key": 248,
        "request_key": 249, "io_uring_setup": 425, "userfaultfd": 323, "shmget": 29, "shmat": 30,
        "msgget": 68, "semget": 64, "mq_open": 240,
    },
    clone=56, clone3=435, seccomp=317,
    only_self={"kill": 62, "tgkill": 234, "prlimit64": 302},
)
_ARM_64 = _Machine(
    audit_arch=0xC00000B7,
    forbidden={
        "openat": 56, "openat2": 437, "truncate": 45, "open_by_handle_at": 265,
        "renameat": 38, "renameat2": 276, "mkdirat": 34, "linkat": 37, "unlinkat": 35,
        "symlinkat": 36, "fchmodat": 53, "fchownat": 54, "mknodat": 33,
        "socket": 198, "connect": 203, "bind": 200, "listen": 201,
        "execve": 221, "execveat": 281,
        "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "pidfd_getfd": 438,
        "pidfd_send_signal": 424, "tkill": 130,
        "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240,
        "unshare": 97, "setns": 268, "mount": 40, "umount2": 39, "chroot": 51,
        "pivot_root": 41, "bpf": 280, "perf_event_open": 241, "keyctl": 219, "add_key": 217,
        "request_key": 218, "io_uring_setup": 425, "userfaultfd": 282, "shmget": 194,
        "shmat": 196, "msgget": 186, "semget": 190, "mq_open": 180,
    },
    clone=220, clone3=435, seccomp=277,
    only_self={"kill": 129, "tgkill": 131, "prlimit64": 261},
)
# fmt: on
MACHINES = {"x86_64": _X86_64, "aarch64": _ARM_64}


def can_filter() -> bool:
    """Say whether the kernel and the processor are ones that the filter is written for."""
    available = Path("/proc/sys/kernel/seccomp/actions_avail").exists()
    return available and platform.machine() in MACHINES


def prepare_filter() -> None:
    """Build what is the same for all processes, so that a forked child need not."""
    machine = MACHINES.get(platform.machine())
    if machine is not None:
        libc()
        _common_steps(machine.audit_arch)


def forbid_system_access() -> bool:
    """Install the filter in all threads of this process for good; return False where it cannot."""
    machine = MACHINES.get(platform.machine())
    if machine is None:
        return False
    program = _program(machine, process_id=os.getpid())
    address = ctypes.cast(ctypes.c_char_p(program), ctypes.c_void_p).value
    header = struct.pack("@HP", len(program) // 8, address)
    if libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    failed = libc().syscall(machine.seccomp, _SET_MODE_FILTER, _ALL_THREADS, header)
    return bool(failed == 0)


@cache
def libc() -> ctypes.CDLL:
    """Return the C library, with the functions of isolation looked up.

    Looking them up makes new types, which costs a forked child a millisecond: do it before.
    """
    library = ctypes.CDLL(None, use_errno=True)
    for name in ("prctl", "syscall", "unshare"):
        getattr(library, name)
    return library


def _program(machine: _Machine, *, process_id: int) -> bytes:
    return _common_steps(machine.audit_arch) + b"".join(_own_steps(machine, process_id))


@cache
def _common_steps(audit_arch: int) -> bytes:
    """Return the tests that are the same for every process, in bytes.

    Every test is followed by its verdict, so jumps stay short.
    """
    machine = next(one for one in MACHINES.values() if one.audit_arch == audit_arch)
    steps = [
        step(LOAD, OFFSET_ARCH),
        step(JUMP_EQUAL, machine.audit_arch, if_true=1),
        step(RETURN, _REFUSE),
        step(LOAD, OFFSET_NUMBER),
        step(JUMP_AT_LEAST, X32_NUMBERS, if_false=1),
        step(RETURN, _REFUSE),
        # glibc goes back to clone, whose flags a filter can read.
        step(JUMP_EQUAL, machine.clone3, if_false=1),
        step(RETURN, FAIL | errno.ENOSYS),
    ]
    for number in machine.forbidden.values():
        steps += [step(JUMP_EQUAL, number, if_false=1), step(RETURN, _REFUSE)]
    steps += [
        step(JUMP_EQUAL, machine.clone, if_false=4),
        step(LOAD, OFFSET_ARGUMENTS[0]),
        step(JUMP_BITS, _CLONE_THREAD, if_false=1),
        step(RETURN, ALLOW),
        step(RETURN, _REFUSE),
    ]
    return b"".join(steps)


def _own_steps(machine: _Machine, process_id: int) -> Iterator[bytes]:
    for name, number in machine.only_self.items():
        allowed = 0 if name == "prlimit64" else process_id
        yield step(JUMP_EQUAL, number, if_false=4)
        yield step(LOAD, OFFSET_ARGUMENTS[0])
        yield step(JUMP_EQUAL, allowed, if_false=1)
        yield step(RETURN, ALLOW)
        yield step(RETURN, _REFUSE)
    yield step(RETURN, ALLOW)
