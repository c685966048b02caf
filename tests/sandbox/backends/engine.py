"""A Docker Engine of the tests' own: its data in a temporary directory, without networks."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.backends.docker.engine import client_of
from sandbox.backends.docker.skeleton import make_skeleton

IMAGE = "weknora-sandbox:tests"
_START_SECONDS = 30.0
_STOP_SECONDS = 20.0


class NoEngine(Exception):
    """An engine cannot be started here, for the reason in the message."""


@contextmanager
def started_engine() -> Iterator[str]:
    """Start an engine with the skeleton image; give its address.

    Raises:
        NoEngine: it cannot be started.
    """
    if shutil.which("dockerd") is None:
        raise NoEngine("dockerd is not installed: apt-get install docker.io iptables")
    if os.geteuid() != 0:
        raise NoEngine("only root can start dockerd")
    # The path of a socket is short.
    directory = Path(tempfile.mkdtemp(prefix="sbx-", dir="/var/tmp"))
    url = f"unix://{directory}/docker.sock"
    process = _start(directory, url)
    try:
        _wait(process, url, directory)
        make_skeleton(url, IMAGE)
        yield url
    finally:
        _stop(process)
        subprocess.run(["umount", "-R", str(directory)], capture_output=True, check=False)
        shutil.rmtree(directory, ignore_errors=True)


def _start(directory: Path, url: str) -> subprocess.Popen[bytes]:
    words = ["dockerd", "--host", url, "--data-root", f"{directory}/data"]
    words += ["--exec-root", f"{directory}/exec", "--pidfile", f"{directory}/docker.pid"]
    words += ["--iptables=false", "--ip-masq=false", "--bridge=none"]
    with (directory / "log").open("wb") as log:
        return subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )


def _wait(process: subprocess.Popen[bytes], url: str, directory: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if _listens(directory / "docker.sock"):
            client_of(url).ping()
            return
        time.sleep(0.1)
    log = (directory / "log").read_text(encoding="utf-8", errors="replace")
    raise NoEngine(f"dockerd does not start: {log[-500:]}")


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(path)) == 0


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
