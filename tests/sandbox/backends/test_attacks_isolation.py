"""X: seeing or touching another conversation's workspace."""

from __future__ import annotations

import threading

import pytest

from core.errors import NotFound
from sandbox.contract import SandboxLimits
from tests.sandbox.backends.conftest import Shell

pytestmark = pytest.mark.slow


def test_x1_two_workspaces_share_neither_files_nor_processes(shell: Shell, second: Shell) -> None:
    shell.sh("echo mine > secret.txt; echo mine > /tmp/secret.txt")
    runs = threading.Thread(
        target=shell.sh, args=("sleep 3; echo finished > done.txt",), kwargs={"seconds": 30}
    )
    runs.start()
    seen = second.sh(
        "cat secret.txt /tmp/secret.txt; ps axo args 2>/dev/null | grep -c '[f]inished';"
        " grep -az finished /proc/[0-9]*/cmdline | grep -v grep | grep -c done.txt; kill -9 -1"
    )
    runs.join()

    assert b"mine" not in seen.stdout
    assert shell.sh("cat done.txt").stdout == b"finished\n"
    with pytest.raises(NotFound):
        second.workspace.get("secret.txt", max_bytes=100)


def test_x2_variables_of_an_earlier_command_are_gone(shell: Shell) -> None:
    assert shell.sh("echo $TOKEN", env={"TOKEN": "one-time"}).stdout == b"one-time\n"

    later = shell.sh("env; cat /proc/*/environ 2>/dev/null; true")
    assert b"one-time" not in later.stdout


def test_x3_files_persist_between_commands(shell: Shell) -> None:
    shell.sh("echo kept > note.txt; mkdir sub; echo x > output/r.md")

    assert shell.sh("cat note.txt output/r.md").stdout == b"kept\nx\n"
    paths = [entry.path for entry in shell.workspace.list_files()]
    assert paths == sorted(paths)
    assert "/workspace/note.txt" in paths


def test_a_workspace_is_the_same_for_every_worker(shell: Shell) -> None:
    shell.sh("echo kept > note.txt")
    again = shell.tried.backend.create(shell.workspace.key, SandboxLimits())

    assert again.get("note.txt", max_bytes=100) == b"kept\n"
    assert shell.workspace.key in [info.key for info in shell.tried.backend.list()]


def test_input_is_given_to_the_command(shell: Shell) -> None:
    data = bytes(range(256)) * 4000

    result = shell.sh("wc -c; ", stdin=data)
    assert result.stdout == b"1024000\n"
