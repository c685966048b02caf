"""H: reading or changing the host, reaching the kernel's sharper tools."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.conf import settings

from sandbox.backends.bubblewrap.places import default_places
from tests.sandbox.backends.conftest import Shell

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(shared: Shell) -> Shell:
    """These attacks leave nothing behind."""
    return shared


def test_h1_files_of_the_host_are_not_there(shell: Shell, sandbox_root: Path) -> None:
    canary = sandbox_root / "canary.txt"
    canary.write_text("secret of the host", encoding="utf-8")
    places = [
        canary,
        "/etc/shadow",
        Path.home(),
        settings.BASE_DIR,
        settings.DATA_DIR,
        sandbox_root,
        "/var/run/docker.sock",
        "/run/docker.sock",
    ]
    script = "; ".join(f"cat {place} 2>/dev/null; ls -A {place} 2>/dev/null" for place in places)
    result = shell.sh(script)

    assert result.stdout == b""


def test_h2_the_first_process_tells_nothing_of_the_host(shell: Shell) -> None:
    os.environ["WEKNORA_CANARY"] = "secret-of-the-worker"
    try:
        result = shell.sh(
            "cat /proc/1/environ /proc/1/cmdline /proc/self/environ 2>/dev/null;"
            " ls /proc/1/root/home/ /proc/1/cwd/root 2>/dev/null; env"
        )
    finally:
        del os.environ["WEKNORA_CANARY"]

    assert b"secret-of-the-worker" not in result.stdout
    assert str(settings.SANDBOX_DIR).encode() not in result.stdout
    assert b"--bind" not in result.stdout


@pytest.mark.parametrize(
    "script",
    [
        "head -c 1 /proc/kcore",
        "echo b > /proc/sysrq-trigger",
        "echo x > /proc/sys/kernel/core_pattern",
        "echo 1 > /proc/sys/kernel/panic",
        "head -c 1 /dev/mem",
        "head -c 1 /dev/kvm",
        "head -c 1 /dev/vda",
        "head -c 1 /dev/fuse",
        "head -c 1 /dev/kmsg",
        "echo 0 > /sys/kernel/mm/ksm/run",
        "ls /sys/kernel/debug/*",
    ],
)
def test_h3_devices_and_kernel_files_are_shut(shell: Shell, script: str) -> None:
    result = shell.sh(f"({script}) >/dev/null 2>&1 && echo passed || echo refused")

    assert result.stdout == b"refused\n"


def test_h4_nothing_outside_of_the_workspace_can_be_written(shell: Shell) -> None:
    code = """
import os
written = []
for base, names, _ in os.walk("/"):
    if base.startswith(("/proc", "/sys", "/workspace", "/tmp", "/dev/shm", "/dev/pts")):
        names[:] = []
        continue
    if base.count("/") > 2: names[:] = []
    try:
        with open(os.path.join(base, "planted"), "w"): written.append(base)
    except OSError: pass
print(written)
"""
    assert shell.py(code).stdout == b"[]\n"


_CALLS = {
    "unshare": (272, "0x10000000"),
    "setns": (308, "0, 0"),
    "mount": (165, "0, b'/tmp', b'tmpfs', 0, 0"),
    "ptrace": (101, "0, 0, 0, 0"),
    "bpf": (321, "0, 0, 0"),
    "keyctl": (250, "0, -3, 0"),
    "add_key": (248, "b'user', b'x', b'y', 1, -3"),
    "io_uring_setup": (425, "8, 0"),
    "userfaultfd": (323, "0"),
    "perf_event_open": (298, "0, 0, -1, -1, 0"),
    "kexec_load": (246, "0, 0, 0, 0"),
    "open_by_handle_at": (304, "-1, 0, 0"),
    "process_vm_readv": (310, "1, 0, 0, 0, 0, 0"),
    "init_module": (175, "0, 0, 0"),
    "pidfd_getfd": (438, "0, 0, 0"),
    "fsopen": (430, "b'tmpfs', 0"),
    "clone of a user name space": (56, "0x10000011, 0, 0, 0, 0"),
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86-64")
def test_h7_sharp_system_calls_are_refused(shell: Shell) -> None:
    lines = "\n".join(
        f"call({name!r}, {number}, {arguments})" for name, (number, arguments) in _CALLS.items()
    )
    code = f"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    result = libc.syscall(*arguments)
    if result == 0 and "clone" in name and os.getpid() == 1: os._exit(0)
    if ctypes.get_errno() != 1 or result != -1: print(name, result, ctypes.get_errno(), flush=True)
{lines}
"""
    assert shell.py(code).stdout == b""


def test_h7_devices_cannot_be_made_and_terminals_not_typed_into(shell: Shell) -> None:
    code = """
import fcntl, os, stat
for work in (
    lambda: os.mknod("/workspace/disk", 0o600 | stat.S_IFBLK, os.makedev(254, 0)),
    lambda: fcntl.ioctl(os.open("/dev/tty", os.O_RDWR), 0x5412, b"x"),
):
    try: work(); print("passed")
    except OSError: pass
"""
    assert shell.py(code).stdout == b""


def test_h8_set_user_id_programs_give_no_rights(shell: Shell) -> None:
    script = """
su -c id root </dev/null 2>/dev/null | grep uid=0
unshare -Ur id 2>/dev/null | grep uid=0
cp /usr/bin/id ./id; chmod 4755 ./id; ./id | grep 'euid=0'
grep -E '^Cap(Eff|Prm|Bnd|Amb)' /proc/self/status
grep NoNewPrivs /proc/self/status
"""
    lines = shell.sh(script).stdout.decode().split()

    assert [word for word in lines if "uid=0" in word] == []
    assert set(lines[1:-2:2]) == {"0000000000000000"}
    assert lines[-1] == "1"


def test_h9_user_1000_is_nobody_of_the_host(shell: Shell) -> None:
    if shell.tried.name == "docker" or os.geteuid() != 0:
        pytest.skip("root starts bubblewrap")
    shell.sh("touch mine")
    session = default_places().session(shell.workspace.key)

    assert (session.files / "mine").stat().st_uid == session.user_id > 1_000_000


def test_h10_there_is_neither_terminal_nor_input(shell: Shell) -> None:
    result = shell.sh("tty; wc -c; (: < /dev/tty) 2>/dev/null && echo terminal; true")

    assert result.stdout.split() == [b"not", b"a", b"tty", b"0"]
