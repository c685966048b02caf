"""A data directory of its own for tests that start and kill real servers."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.embedded.files import read_json
from core.embedded.layout import REPOSITORY_DIR, Layout
from core.embedded.processes import is_alive, wait_until

USER_PROGRAM = """
import sys
from pathlib import Path
from core.embedded.layout import Layout
from core.embedded.services import embedded_services
with embedded_services(Layout(Path(sys.argv[1])), durable=bool(sys.argv[2])) as addresses:
    print(addresses.database_url, flush=True)
    sys.stdin.read()
"""


class User:
    """A process that uses the services until its standard input ends."""

    def __init__(self, layout: Layout, *, durable: bool = False) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", USER_PROGRAM, str(layout.data_dir), "1" if durable else ""],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=REPOSITORY_DIR,
            text=True,
        )

    def database_url(self) -> str:
        """Wait until the services are there and return the address."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def leave(self) -> None:
        """End as a command ends."""
        self.process.communicate("", timeout=60)

    def kill(self) -> None:
        """End as after the out-of-memory killer."""
        self.process.kill()
        self.process.communicate()


def server_pids(layout: Layout) -> dict[str, int]:
    """Return the pids of keeper, PostgreSQL and Valkey that live for this data directory."""
    found = {}
    keeper = read_json(layout.state_file).get("keeper_pid")
    if isinstance(keeper, int) and is_alive(keeper):
        found["keeper"] = keeper
    for name, directory in (("postgres", layout.postgres_data), ("valkey", layout.valkey_data)):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                inside = (process / "cwd").readlink() == directory
                parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if inside and int(parent) in (keeper, 1):
                found[name] = int(process.name)
    return found


def await_no_servers(layout: Layout) -> bool:
    """Wait until nothing of the services is left; say whether that came."""
    return wait_until(lambda: not server_pids(layout), timeout_seconds=20)


def kill_all(layout: Layout) -> None:
    """SIGKILL to keeper and servers at once, as a power cut would end them."""
    pids = server_pids(layout)
    for pid in pids.values():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: not any(map(is_alive, pids.values())), timeout_seconds=10)


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Layout]:
    """A data directory for a module; its parents are closed to other users, as a home may be."""
    found = Layout(tmp_path_factory.mktemp("installation"))
    yield found
    assert await_no_servers(found), "a test left servers behind"
