"""`manage.py start` as a person types it, up to the point where it refuses."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from core.embedded.layout import REPOSITORY_DIR, Layout
from weknora_site.supervisor.lock import AlreadyRuns, RunLock
from weknora_site.supervisor.port import holder_of


def start(data_dir, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "start", *arguments],
        cwd=REPOSITORY_DIR,
        env={**os.environ, "WEKNORA_DATA_DIR": str(data_dir)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_taken_port_is_named_with_its_holder_and_a_way_out(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = start(tmp_path, "--port", str(port))
    assert done.returncode == 1
    assert f"port {port} on 127.0.0.1 is taken by" in done.stdout
    assert f"(pid {os.getpid()})" in done.stdout
    assert f"WEKNORA_PORT={port + 1} make run" in done.stdout


def test_second_start_from_the_same_directory_names_the_first(tmp_path):
    layout = Layout(tmp_path)
    layout.create()
    lock = RunLock(layout)
    lock.take(url="http://localhost:8000/")
    done = start(tmp_path)
    lock.give_back()
    assert done.returncode == 1
    assert f"runs already from this data directory (pid {os.getpid()}, http" in done.stdout


def test_wrong_argument_is_named(tmp_path):
    done = start(tmp_path, "--port", "many")
    assert done.returncode == 2
    assert "'many' cannot be used" in done.stdout


def test_failed_start_lets_the_next_one_in(tmp_path):
    layout = Layout(tmp_path)
    layout.create()
    with socket.create_server(("127.0.0.1", 0)) as server:
        start(tmp_path, "--port", str(server.getsockname()[1]))
    lock = RunLock(layout)
    lock.take(url="")
    assert RunLock(layout).is_taken()
    with pytest.raises(AlreadyRuns):
        RunLock(layout).take(url="")
    lock.give_back()
    assert not RunLock(layout).is_taken()


def test_holder_of_a_free_port_is_nobody_we_know():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert f"(pid {os.getpid()})" in holder_of(port)
    assert holder_of(port) == "another program"
