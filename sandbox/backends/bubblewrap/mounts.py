"""File systems that root makes for a session: a small one for its files, read-only views of ours."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from core.seccomp import libc

_READ_ONLY, _NO_SETUID, _NO_DEVICES, _REMOUNT, _BIND = 1, 2, 4, 32, 4096
_DETACH, _NO_FOLLOW = 2, 8


def mount_memory(place: Path, *, size_bytes: int, files: int) -> None:
    """Mount an empty file system of that size in memory.

    Raises:
        OSError: the kernel does not let us.
    """
    options = f"size={size_bytes},nr_inodes={files},mode=0755"
    _mount("tmpfs", place, "tmpfs", _NO_SETUID | _NO_DEVICES, options)


def mount_view(source: Path, place: Path) -> None:
    """Mount a directory of ours once more, read-only.

    Raises:
        OSError: the kernel does not let us.
    """
    place.mkdir(parents=True, exist_ok=True)
    _mount(str(source), place, None, _BIND, None)
    try:
        _mount(None, place, None, _BIND | _REMOUNT | _READ_ONLY | _NO_SETUID | _NO_DEVICES, None)
    except OSError:
        unmount(place)
        raise


def unmount(place: Path) -> None:
    """Take a mount away, also while it is used; without error when there is none."""
    libc().umount2(os.fsencode(place), _DETACH | _NO_FOLLOW)


def is_mounted(place: Path) -> bool:
    """Whether something is mounted there, by the kernel's list: a view has its source's device."""
    whole = os.fsencode(os.path.realpath(place))
    for each, code in ((b"\\", b"134"), (b" ", b"040"), (b"\t", b"011"), (b"\n", b"012")):
        whole = whole.replace(each, b"\\" + code)
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return False
    return any(line.split(b" ", 5)[4] == whole for line in lines)


def _mount(source: str | None, place: Path, kind: str | None, flags: int, data: str | None) -> None:
    def text(value: str | None) -> bytes | None:
        return None if value is None else os.fsencode(value)

    failed = libc().mount(
        text(source), os.fsencode(place), text(kind), ctypes.c_ulong(flags), text(data)
    )
    if failed:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(place))
