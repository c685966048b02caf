from __future__ import annotations

import ctypes
import os
import pickle
import platform
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.isolation import (
    MIB,
    Limits,
    apply_limits,
    clean_environment,
    die_with_parent,
    drop_root,
    keep_descriptors,
    leave_network,
)
from core.seccomp import MACHINES, can_filter
from tests.process import ends_within

needs_filter = pytest.mark.skipif(not can_filter(), reason="no system call filter on this machine")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up being root")


def in_child(work: Callable[[], Any]) -> tuple[int, Any]:
    """Run `work` in a forked child; return its wait status and what it returned or raised."""
    readable, writable = os.pipe()
    process_id = os.fork()
    if process_id == 0:
        try:
            try:
                answer = work()
            except BaseException as error:  # noqa: BLE001 - the test looks at it
                answer = error
            os.write(writable, pickle.dumps(answer))
        finally:
            os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as stream:
        content = stream.read()
    _, status = os.waitpid(process_id, 0)
    return status, pickle.loads(content) if content else None


def limited(work: Callable[[], Any], **limits: Any) -> tuple[int, Any]:
    """Run `work` in a confined child; its memory is counted on top of what this process has.

    A child of a worker that ran many tests is over the default limit before it begins: a thread then
    dies before it says that it started, and whoever started it waits for ever.
    """
    own = psutil.Process().memory_info().vms
    limits.setdefault("memory_bytes", own + Limits().memory_bytes)

    def confined() -> Any:
        apply_limits(Limits(**limits))
        return work()

    return in_child(confined)


FORBIDDEN = {
    "open a file": lambda: Path("/etc/hostname").read_text(encoding="utf-8"),
    "write a file": lambda: Path("/tmp/never-written").write_text("x", encoding="utf-8"),
    "open a socket": lambda: socket.socket(),
    "fork": lambda: os.fork(),
    "start a program": lambda: os.execv("/bin/true", ["true"]),
    "signal another process": lambda: os.kill(os.getppid(), 0),
    "trace a process": lambda: _call("ptrace", 16, os.getppid(), 0, 0),
    "enter a namespace": lambda: _call("unshare", 0x10000000),
}


def _call(name: str, *arguments: int) -> None:
    number = MACHINES[platform.machine()].forbidden[name]
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "system call refused")


@needs_filter
@pytest.mark.parametrize("work", FORBIDDEN.values(), ids=FORBIDDEN)
def test_a_confined_process_cannot(work):
    _, answer = limited(work)
    assert isinstance(answer, PermissionError)


@needs_filter
def test_a_confined_process_can_start_threads_and_use_open_descriptors():
    readable, writable = os.pipe()

    def work():
        thread = threading.Thread(target=os.write, args=(writable, b"hello"))
        thread.start()
        thread.join()
        return os.read(readable, 5)

    assert limited(work)[1] == b"hello"


def test_memory_over_the_limit_is_a_memory_error():
    _, answer = limited(lambda: len(bytearray(600 * MIB)), memory_bytes=500 * MIB)
    assert isinstance(answer, MemoryError)


def test_processor_time_over_the_limit_ends_with_its_own_signal():
    status, _ = limited(lambda: [None for _ in iter(int, 1)], cpu_seconds=1)
    assert os.WTERMSIG(status) == signal.SIGXCPU


def test_a_file_over_the_limit_is_not_written():
    descriptor = os.memfd_create("result")

    def work():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        os.pwrite(descriptor, b"x", 2 * MIB)

    assert isinstance(limited(work, file_size_bytes=MIB)[1], OSError)
    assert os.fstat(descriptor).st_size == 0
    os.close(descriptor)


def test_open_files_and_core_dumps_are_limited():
    _, answer = limited(
        lambda: (
            resource.getrlimit(resource.RLIMIT_NOFILE),
            resource.getrlimit(resource.RLIMIT_CORE),
        ),
        open_files=17,
    )
    assert answer == ((17, 17), (0, 0))


def test_a_stricter_limit_that_holds_already_is_kept():
    def work():
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
        apply_limits(Limits(open_files=64))
        return resource.getrlimit(resource.RLIMIT_NOFILE)

    assert in_child(work)[1] == (20, 20)


def test_what_holds_is_told():
    _, confinement = in_child(lambda: apply_limits(Limits(), network_left=True))
    assert confinement.network == "namespace"
    assert confinement.system_calls == can_filter()


@needs_filter
def test_the_filter_alone_shuts_the_network():
    _, confinement = in_child(lambda: apply_limits(Limits()))
    assert confinement.network == "filter"


@needs_root
def test_root_becomes_nobody_for_good():
    def work():
        assert drop_root()
        return os.getresuid(), os.getresgid(), os.getgroups()

    assert in_child(work)[1] == ((65534,) * 3, (65534,) * 3, [])


@needs_root
def test_an_empty_network_namespace_has_no_way_out():
    def work():
        assert leave_network()
        with socket.socket() as outgoing:
            outgoing.settimeout(2)
            return outgoing.connect_ex(("192.0.2.1", 80))

    assert in_child(work)[1] != 0


def test_only_the_named_descriptors_stay_open():
    first, second = os.pipe()

    def work():
        keep_descriptors(second)
        still_open = []
        for descriptor in (first, second):
            try:
                os.fstat(descriptor)
                still_open.append(descriptor)
            except OSError:
                pass
        # The pipe to the test is closed as well, so tell by the status.
        os._exit(0 if still_open == [second] else 1)

    status, _ = in_child(work)
    os.close(first)
    os.close(second)
    assert os.WEXITSTATUS(status) == 0


def test_a_child_dies_with_the_process_that_forked_it():
    program = (
        "import os, time\n"
        "from core.isolation import die_with_parent\n"
        "me = os.getpid()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    die_with_parent(me)\n"
        "    print(os.getpid(), flush=True)\n"
        "    time.sleep(60)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert ends_within(child, seconds=10)


def test_an_orphan_ends_itself_at_once():
    def work():
        die_with_parent(os.getppid() + 1_000_000)

    status, _ = in_child(work)
    assert os.WEXITSTATUS(status) == 1


def test_the_clean_environment_holds_nothing_of_ours(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    assert "hunter2" not in "".join(clean_environment().values())
    assert not set(clean_environment()) & {"SECRET_KEY", "DATABASE_URL", "PYTHONPATH"}
