"""The system call filter of sandboxed commands, as a kernel program and as an engine's profile.

What is not on the list fails with EPERM, so that a library can tell and go on; calls that are newer
than the list fail with ENOSYS, for which the C library has older ways.
"""

from __future__ import annotations

import errno
import json
import platform
from collections.abc import Iterator
from functools import cache
from typing import Any

from core.bpf import (
    ALLOW,
    FAIL,
    JUMP_ABOVE,
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
from core.seccomp import MACHINES
from sandbox.backends.syscalls import ALLOWED, CONDITIONAL

_REFUSE, _UNKNOWN = FAIL | errno.EPERM, FAIL | errno.ENOSYS
_NEWER_THAN_LIST = 449
_NAMESPACES = 0x7E020000
"""Flags of clone that make name spaces."""
_PERSONALITIES = (0, 8, 0x20000, 0x20008, 0xFFFFFFFF)
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_TERMINAL_TRICKS = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX put keystrokes into a terminal."""


@cache
def kernel_program(*, fixed_processors: bool = False) -> bytes:
    """Return the filter for this machine's processor family; empty where there is none.

    With `fixed_processors` a command cannot choose other processors than it was given.
    """
    family = platform.machine()
    if family not in MACHINES:
        return b""
    column = list(MACHINES).index(family)
    allowed = {numbers[column] for numbers in ALLOWED.values() if numbers[column] >= 0}
    if fixed_processors:
        allowed.discard(ALLOWED["sched_setaffinity"][column])
    return b"".join(_steps(MACHINES[family].audit_arch, column, sorted(allowed)))


@cache
def engine_profile() -> str:
    """Return the same filter as a profile for Docker, JSON text."""
    rules: list[dict[str, Any]] = [
        {"names": sorted([*ALLOWED, "ioctl"]), "action": "SCMP_ACT_ALLOW"},
        _rule("clone", (0, _NAMESPACES, "SCMP_CMP_MASKED_EQ")),
        {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
        *(_rule("personality", (0, value, "SCMP_CMP_EQ")) for value in _PERSONALITIES),
        *(_rule("socket", (0, value, "SCMP_CMP_EQ")) for value in (_UNIX, _INET, _INET6)),
        _rule("socket", (0, _NETLINK, "SCMP_CMP_EQ"), (2, 0, "SCMP_CMP_EQ")),
    ]
    families = ("SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64")
    profile = {
        "defaultAction": "SCMP_ACT_ERRNO",
        "defaultErrnoRet": errno.EPERM,
        "archMap": [{"architecture": family, "subArchitectures": []} for family in families],
        "syscalls": rules,
    }
    return json.dumps(profile)


def _rule(name: str, *conditions: tuple[int, int, str]) -> dict[str, Any]:
    arguments = [
        {"index": index, "value": value, "valueTwo": 0, "op": operator}
        for index, value, operator in conditions
    ]
    return {"names": [name], "action": "SCMP_ACT_ALLOW", "args": arguments}


def _steps(audit_arch: int, column: int, allowed: list[int]) -> Iterator[bytes]:
    yield step(LOAD, OFFSET_ARCH)
    yield step(JUMP_EQUAL, audit_arch, if_true=1)
    yield step(RETURN, _REFUSE)
    yield step(LOAD, OFFSET_NUMBER)
    yield step(JUMP_AT_LEAST, X32_NUMBERS, if_false=1)
    yield step(RETURN, _UNKNOWN)
    number = {name: numbers[column] for name, numbers in CONDITIONAL.items()}
    yield step(JUMP_EQUAL, number["clone3"], if_false=1)
    yield step(RETURN, _UNKNOWN)
    yield from _when(number["clone"], _clone_steps())
    yield from _when(number["personality"], _one_of(0, _PERSONALITIES))
    yield from _when(number["socket"], _socket_steps())
    yield from _when(number["ioctl"], _none_of(1, _TERMINAL_TRICKS))
    for first, last in _ranges(allowed):
        yield step(JUMP_AT_LEAST, first, if_false=2)
        yield step(JUMP_ABOVE, last, if_true=1)
        yield step(RETURN, ALLOW)
    yield step(JUMP_AT_LEAST, _NEWER_THAN_LIST, if_false=1)
    yield step(RETURN, _UNKNOWN)
    yield step(RETURN, _REFUSE)


def _when(number: int, steps: list[bytes]) -> Iterator[bytes]:
    """Give steps that end with a verdict, for one call only."""
    yield step(JUMP_EQUAL, number, if_false=len(steps))
    yield from steps


def _clone_steps() -> list[bytes]:
    return [
        step(LOAD, OFFSET_ARGUMENTS[0]),
        step(JUMP_BITS, _NAMESPACES, if_false=1),
        step(RETURN, _REFUSE),
        step(RETURN, ALLOW),
    ]


def _one_of(argument: int, values: tuple[int, ...]) -> list[bytes]:
    steps = [step(LOAD, OFFSET_ARGUMENTS[argument])]
    for value in values:
        steps += [step(JUMP_EQUAL, value, if_false=1), step(RETURN, ALLOW)]
    return [*steps, step(RETURN, _REFUSE)]


def _none_of(argument: int, values: tuple[int, ...]) -> list[bytes]:
    steps = [step(LOAD, OFFSET_ARGUMENTS[argument])]
    for value in values:
        steps += [step(JUMP_EQUAL, value, if_false=1), step(RETURN, _REFUSE)]
    return [*steps, step(RETURN, ALLOW)]


def _socket_steps() -> list[bytes]:
    """Allow local and internet sockets, and of the kernel's only the one that lists interfaces."""
    return [
        *_one_of(0, (_UNIX, _INET, _INET6))[:-1],
        step(JUMP_EQUAL, _NETLINK, if_true=1),
        step(RETURN, _REFUSE),
        *_one_of(2, (0,)),
    ]


def _ranges(numbers: list[int]) -> Iterator[tuple[int, int]]:
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last
