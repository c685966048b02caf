"""The command line of `bwrap`: what a command sees of the machine.

The options go through a descriptor, never through arguments: those could be read inside.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.backends.environment import PYTHON_DIR
from sandbox.backends.paths import HOME
from sandbox.contract import INPUT, MIB, WORKSPACE, SandboxLimits

TMP_BYTES = 16 * MIB
SHARED_MEMORY_BYTES = 8 * MIB
_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "fonts",
    "localtime",
    "mime.types",
)
ETC_FILES = {
    "/etc/passwd": b"root:x:0:0:root:/root:/bin/sh\n"
    b"user:x:1000:1000::%s:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n" % HOME.encode(),
    "/etc/group": b"root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n",
    "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files\n",
    "/etc/hosts": b"127.0.0.1 localhost sandbox\n",
}


@dataclass(frozen=True, kw_only=True)
class View:
    """What of the host is shown to a session."""

    files: Path
    input: Path
    read_only: Sequence[tuple[Path, str]] = ()
    """Directories of ours and where they appear."""


@dataclass(frozen=True, kw_only=True)
class Descriptors:
    """Numbers of the open descriptors that `bwrap` is given."""

    status: int
    start: int
    system_calls: int | None
    etc: Mapping[str, int]


def options(
    view: View,
    *,
    cwd: str,
    variables: Mapping[str, str],
    descriptors: Descriptors,
) -> bytes:
    """Return the options, each ended by a NUL."""
    words = [
        *_namespaces(),
        *_system(descriptors.etc),
        *_devices(),
        *_workspace(view),
        "--remount-ro",
        "/",
        *(word for name, value in variables.items() for word in ("--setenv", name, value)),
        *("--chdir", cwd),
        *("--json-status-fd", str(descriptors.status)),
        *("--block-fd", str(descriptors.start)),
    ]
    if descriptors.system_calls is not None:
        words += ["--seccomp", str(descriptors.system_calls)]
    return b"".join(os.fsencode(word) + b"\0" for word in words)


def limited(argv: Sequence[str], limits: SandboxLimits, *, memory_by_process: bool) -> list[str]:
    """Return the command under limits of the kernel for each process.

    They are set inside: outside, the processes of the whole host user would count.
    """
    words = [
        "/usr/bin/prlimit",
        f"--nproc={limits.processes}",
        f"--fsize={limits.file_bytes}",
        f"--nofile={limits.open_files}",
        "--core=0",
        "--memlock=65536",
        "--msgqueue=0",
    ]
    if memory_by_process:
        words.append(f"--data={limits.memory_bytes}")
    return [*words, "--", *argv]


def _namespaces() -> list[str]:
    kinds = ("user", "pid", "ipc", "uts", "cgroup-try", "net")
    words = [f"--unshare-{kind}" for kind in kinds]
    words += ["--disable-userns", "--die-with-parent", "--new-session"]
    return [
        *words,
        *("--hostname", "sandbox", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"),
        "--clearenv",
    ]


def _system(etc: Mapping[str, int]) -> list[str]:
    words = ["--ro-bind", "/usr", "/usr", "--tmpfs", "/usr/local", "--remount-ro", "/usr/local"]
    for name in _LINKS:
        if Path("/usr", name).is_dir():
            words += ["--symlink", f"usr/{name}", f"/{name}"]
    words += ["--perms", "0755", "--dir", "/etc"]
    for name in _ETC:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for path, descriptor in etc.items():
        words += ["--perms", "0444", "--file", str(descriptor), path]
    return words


def _devices() -> list[str]:
    """Return a small `/dev`, `/proc` and temporary directories; none of them grows for ever."""
    return [
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", str(SHARED_MEMORY_BYTES), "--tmpfs", "/dev/shm"),  # noqa: S108
        *("--remount-ro", "/dev"),
        *("--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", "/tmp"),  # noqa: S108
    ]


def _workspace(view: View) -> list[str]:
    words = ["--bind", str(view.files), WORKSPACE, "--ro-bind", str(view.input), INPUT]
    for source, place in view.read_only:
        words += ["--ro-bind", str(source), place]
    return words


def python_view(directory: Path) -> list[tuple[Path, str]]:
    """Return where the packages of the sandbox's Python appear, when they are installed."""
    return [(directory, PYTHON_DIR)] if directory.is_dir() else []
