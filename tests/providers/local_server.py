"""The real server of the built-in models, for tests: one process a test run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from core.embedded.layout import REPOSITORY_DIR
from core.embedded.ports import free_port

KEY = "key-of-the-test-run"
START_SECONDS = 120.0


@dataclass(frozen=True, kw_only=True)
class LocalServer:
    """Where the server is."""

    url: str
    """With /v1."""
    key: str
    process: subprocess.Popen[bytes]

    def client(self, *, key: str | None = None) -> httpx.Client:
        """Return a client that shows the key."""
        headers = {"Authorization": f"Bearer {self.key if key is None else key}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False)


def models_data_dir() -> Path:
    """Return where the run keeps the converted model between runs."""
    return Path(os.environ.get("WEKNORA_TEST_DIR", REPOSITORY_DIR / "var" / "test"))


@contextmanager
def running_server(data_dir: Path) -> Iterator[LocalServer]:
    """Run the server for the block and end it with SIGTERM."""
    port = free_port()
    command = [sys.executable, "-m", "providers.local.server", "--port", str(port)]
    command += ["--data-dir", str(data_dir), "--die-with-parent"]
    environment = {**os.environ, "WEKNORA_LOCAL_MODELS_KEY": KEY}
    with subprocess.Popen(command, cwd=REPOSITORY_DIR, env=environment) as process:
        try:
            _wait_until_ready(f"http://127.0.0.1:{port}/health", process)
            yield LocalServer(url=f"http://127.0.0.1:{port}/v1", key=KEY, process=process)
        finally:
            process.terminate()
            process.wait(timeout=30)


def _wait_until_ready(health: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the models' server ended with {process.returncode}")
        try:
            if httpx.get(health, timeout=5, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise RuntimeError(f"the models' server was not ready after {START_SECONDS:.0f} s")
