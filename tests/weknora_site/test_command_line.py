from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from core.embedded.layout import REPOSITORY_DIR, Layout
from tests.core.embedded.conftest import server_pids
from weknora_site import command_line
from weknora_site.command_line import background
from weknora_site.supervisor.lock import RunLock


@pytest.fixture
def begun(monkeypatch, tmp_path) -> list[str]:
    """What the commands of a test begin, instead of beginning it."""
    found: list[str] = []

    @contextlib.contextmanager
    def begin(name: str) -> Iterator[None]:
        found.append(name)
        yield

    monkeypatch.setenv("WEKNORA_DATA_DIR", str(tmp_path))
    for name in ("DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(command_line, "embedded_services", lambda layout: begin("services"))
    monkeypatch.setattr(command_line, "_parts", lambda names: begin(names))
    return found


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("check", [], []),
        ("help", [], []),
        ("makemigrations", ["--check"], []),
        ("ask", ["--help"], []),
        ("shell", [], ["services"]),
        ("changepassword", ["me@example.org"], ["services"]),
        ("search", ["x"], ["services", "models"]),
        ("ask", ["x"], ["services", "models"]),
        ("ingest", ["file"], ["services", "models"]),
    ],
)
def test_command_gets_what_it_needs_and_no_more(begun, name, arguments, expected):
    with background(name, arguments=arguments) as alone:
        assert begun == expected
        assert alone == ("models" in expected)


def test_command_uses_the_models_of_a_running_installation(begun, tmp_path):
    layout = Layout(tmp_path)
    layout.create()
    lock = RunLock(layout)
    lock.take(url="")
    with background("ask", arguments=["x"]) as alone:
        assert begun == ["services"]
        assert not alone
    lock.give_back()


def test_outside_services_are_only_used(begun, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://host/name")
    monkeypatch.setenv("REDIS_URL", "redis://host")
    with background("shell", arguments=[]):
        assert begun == []


def test_preparing_says_nothing_on_standard_output(capsys):
    def execute(argv: list[str]) -> None:
        sys.stdout.write(" ".join(argv))

    command_line._prepare(execute)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "manage.py prepare"


@pytest.mark.slow
def test_command_starts_the_database_and_leaves_nothing_running(tmp_path):
    done = manage(tmp_path, "shell", "-v0", "-c", QUERY)
    assert done.stdout.strip() == "weknora", done.stderr
    assert server_pids(Layout(tmp_path)) == {}


@pytest.mark.slow
def test_exit_code_of_the_command_is_kept(tmp_path):
    assert manage(tmp_path, "shell", "-v0", "-c", "raise SystemExit(7)").returncode == 7
    assert manage(tmp_path, "no_such_command").returncode == 1
    assert server_pids(Layout(tmp_path)) == {}


QUERY = (
    "from django.db import connection; cursor = connection.cursor();"
    "cursor.execute('SELECT current_user'); print(cursor.fetchone()[0])"
)


def manage(data_dir: Any, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=REPOSITORY_DIR,
        env={**environment, "WEKNORA_DATA_DIR": str(data_dir)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
