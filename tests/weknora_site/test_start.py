"""The whole installation: start, first page, end, power cut, start again."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.embedded.layout import REPOSITORY_DIR
from core.embedded.ports import free_port
from core.embedded.processes import is_alive, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.serial]


class Installation:
    """`manage.py start` in a data directory of its own, without the models (others test those)."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        self.environment = {
            **{k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")},
            "WEKNORA_DATA_DIR": str(data_dir),
            "WEKNORA_PORT": str(self.port),
            "WEKNORA_LOCAL_MODELS": "off",
        }
        self.process: subprocess.Popen[str] | None = None
        self.lines: list[str] = []

    def start(self) -> None:
        """Start and return when the address is printed."""
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "start"],
            cwd=REPOSITORY_DIR,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if "ready after" in line:
                return
        raise AssertionError("it ended before it was ready:\n" + "".join(self.lines))

    def end(self, number: signal.Signals) -> int:
        """Signal the supervisor and wait for its end."""
        assert self.process is not None
        self.process.send_signal(number)
        rest, _ = self.process.communicate(timeout=60)
        self.lines += rest.splitlines(keepends=True)
        return self.process.returncode

    def pids(self) -> set[int]:
        """Return all processes of this installation, found by data directory."""
        found = set()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                environment = (process / "environ").read_bytes().split(b"\0")
                inside = (process / "cwd").readlink().is_relative_to(self.data_dir)
            except OSError:
                continue
            mark = f"WEKNORA_DATA_DIR={self.data_dir}".encode()
            if (inside or mark in environment) and is_alive(int(process.name)):
                found.add(int(process.name))
        return found

    def cut_power(self) -> None:
        """SIGKILL to everything; some are gone with the one before them."""
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def status(self, path: str) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as answer:
            return int(answer.status)


@pytest.fixture
def installation(tmp_path) -> Iterator[Installation]:
    made = Installation(tmp_path / "var")
    yield made
    made.cut_power()
    if made.process is not None:
        made.process.communicate()


def test_installation_starts_survives_a_power_cut_and_ends_without_a_trace(installation):
    installation.start()
    text = "".join(installation.lines)
    assert re.search(r"Password\s+\S{12,}", text), "the first start shows the password"
    assert f"open http://localhost:{installation.port}/" in text
    assert installation.status("/health/ready") == 200
    assert installation.status("/account/login/") == 200

    installation.cut_power()
    installation.process.communicate()
    assert wait_until(lambda: not installation.pids(), timeout_seconds=10)

    installation.lines.clear()
    installation.start()
    assert "Password" not in "".join(installation.lines)
    assert installation.status("/health/ready") == 200

    assert installation.end(signal.SIGINT) == 0
    assert wait_until(lambda: not installation.pids(), timeout_seconds=10)
    assert "Traceback" not in "".join(installation.lines)


def test_failed_migration_is_named_and_nothing_is_served(installation):
    installation.start()
    installation.end(signal.SIGTERM)
    _sql(installation, "DELETE FROM django_migrations WHERE app = 'sessions'")
    installation.lines.clear()
    with pytest.raises(AssertionError, match=r"sessions\.0001_initial failed"):
        installation.start()
    assert installation.process.wait(timeout=60) == 1
    assert wait_until(lambda: not installation.pids(), timeout_seconds=10)


def _sql(installation: Installation, statement: str) -> None:
    code = f"from django.db import connection; connection.cursor().execute({statement!r})"
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", code],
        cwd=REPOSITORY_DIR,
        env=installation.environment,
        check=True,
    )
