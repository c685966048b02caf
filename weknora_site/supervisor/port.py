"""Says who holds a port that we want."""

from __future__ import annotations

from pathlib import Path

_LISTEN = "0A"


def holder_of(port: int) -> str:
    """Return the program and pid that listen on the port, or that it cannot be seen."""
    inodes = _listening_inodes(port)
    for process in Path("/proc").glob("[0-9]*"):
        if inodes and inodes & _socket_inodes(process):
            return f"{_name(process)} (pid {process.name})"
    return "another program"


def _listening_inodes(port: int) -> set[str]:
    """Return the sockets in the kernel's tables that listen on the port."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            parts = line.split()
            if parts[3] == _LISTEN and int(parts[1].rpartition(":")[2], 16) == port:
                found.add(parts[9])
    return found


def _socket_inodes(process: Path) -> set[str]:
    found = set()
    try:
        for descriptor in (process / "fd").iterdir():
            target = str(descriptor.readlink())
            if target.startswith("socket:["):
                found.add(target[8:-1])
    except OSError:
        # It ended meanwhile, or is another user's.
        return found
    return found


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "a program"
