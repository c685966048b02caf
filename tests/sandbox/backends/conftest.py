"""Workspaces of every backend that runs on this machine; the others skip with their probe's reason."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import settings

from sandbox.backends.bubblewrap.backend import BubblewrapBackend
from sandbox.backends.docker.backend import DockerBackend
from sandbox.contract import (
    Enforcement,
    ExecResult,
    Probe,
    SandboxBackend,
    SandboxLimits,
    Workspace,
)
from tests.sandbox.backends.engine import IMAGE, NoEngine, started_engine

BACKENDS = ("bubblewrap", "watched", "docker")
"""`watched` is bubblewrap without control groups and without a file system for each workspace."""


@dataclass
class Tried:
    """A backend and what its probe says."""

    name: str
    backend: SandboxBackend
    probe: Probe
    keys: list[str] = field(default_factory=list)

    def create(self, limits: SandboxLimits | None = None) -> Workspace:
        """Return a new workspace, which ends with the test."""
        key = f"test-{secrets.token_hex(6)}"
        self.keys.append(key)
        return self.backend.create(key, limits or SandboxLimits())

    def holds(self, limit: str) -> Enforcement:
        """Return how a limit holds."""
        return self.probe.limits[limit]


@dataclass
class Shell:
    """A workspace and short ways to run something in it."""

    tried: Tried
    workspace: Workspace

    def sh(self, script: str, *, seconds: float = 20.0, **more: Any) -> ExecResult:
        """Run a script of bash."""
        return self.workspace.exec(["bash", "-c", script], timeout_seconds=seconds, **more)

    def py(self, code: str, *, seconds: float = 20.0, **more: Any) -> ExecResult:
        """Run a Python program."""
        argv = ["/usr/bin/python3", "-c", code]
        return self.workspace.exec(argv, timeout_seconds=seconds, **more)

    def still_works(self) -> bool:
        """Whether the next command runs."""
        return self.sh("echo alive").stdout == b"alive\n"


@pytest.fixture(scope="session")
def sandbox_root() -> Iterator[Path]:
    """A directory for workspaces that every user may go through."""
    root = Path(tempfile.mkdtemp(prefix="sbx-root-", dir="/var/tmp"))
    root.chmod(0o711)
    with mock.patch.object(settings, "SANDBOX_DIR", root / "sandbox"):
        yield root
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="session", params=BACKENDS)
def tried(request: pytest.FixtureRequest, sandbox_root: Path) -> Iterator[Tried]:
    """Each backend in turn."""
    with ExitStack() as stack:
        backend = _backend(request.param, stack)
        probe = backend.probe()
        if not probe.works:
            pytest.skip(f"{request.param}: {probe.detail}")
        yield Tried(request.param, backend, probe)
        assert list(backend.list()) == []


@pytest.fixture
def shell(tried: Tried) -> Iterator[Shell]:
    """A workspace of this test's own."""
    yield Shell(tried, tried.create())
    while tried.keys:
        tried.backend.destroy(tried.keys.pop())


@pytest.fixture(scope="module")
def shared(tried: Tried) -> Iterator[Shell]:
    """One workspace for a module whose attacks leave it as it was."""
    key = f"shared-{secrets.token_hex(6)}"
    yield Shell(tried, tried.backend.create(key, SandboxLimits()))
    tried.backend.destroy(key)


@pytest.fixture
def second(tried: Tried, shell: Shell) -> Shell:
    """Another workspace of the same backend."""
    return Shell(tried, tried.create())


@pytest.fixture
def limited(tried: Tried, shell: Shell) -> Callable[[SandboxLimits], Shell]:
    """Make a workspace with other limits."""
    return lambda limits: Shell(tried, tried.create(limits))


def _backend(name: str, stack: ExitStack) -> SandboxBackend:
    if name == "docker":
        try:
            return DockerBackend(url=stack.enter_context(started_engine()), image=IMAGE)
        except NoEngine as error:
            pytest.skip(f"docker: {error}")
    if name == "watched":
        for module in ("backend", "layout"):
            path = f"sandbox.backends.bubblewrap.{module}.groups_of"
            stack.enter_context(mock.patch(path, return_value=None))
        return BubblewrapBackend(in_memory=False)
    return BubblewrapBackend()
