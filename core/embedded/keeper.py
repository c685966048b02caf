"""The process that runs the embedded servers as long as somebody uses them.

`python -S -m core.embedded.keeper` is started by `core.embedded.services` with its orders on
standard input and the keeper lock already held through an inherited descriptor. It starts
PostgreSQL and Valkey, writes the state file, restarts a server that dies, and ends both when it
gets the exclusive lock on the users file: then no process that used them is left, however it
ended. Standard library only, to stay small.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from core.embedded.binaries import Wheels, settle_binaries
from core.embedded.errors import EmbeddedError
from core.embedded.files import write_json
from core.embedded.layout import Layout
from core.embedded.ports import settle_port
from core.embedded.postgres import PostgresServer
from core.embedded.secrets_file import ensure_secrets
from core.embedded.unprivileged import server_account
from core.embedded.valkey import ValkeyServer

LOOK_SECONDS = 0.2
MAX_RESTARTS = 5
"""In a row; the count starts anew when a server has lived for a minute."""


@dataclass(frozen=True)
class Orders:
    """What the starter tells the keeper."""

    data_dir: str
    postgres_package: str
    valkey_package: str
    durable: bool


class Keeper:
    """Runs both servers of one data directory."""

    def __init__(self, orders: Orders) -> None:
        self._layout = Layout(Path(orders.data_dir))
        self._orders = orders
        self._leave = threading.Event()
        self._postgres: PostgresServer | None = None
        self._valkey: ValkeyServer | None = None

    def run(self) -> int:
        """Run until nobody uses the servers; return the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self._leave.set())
        try:
            self._start_all()
            self._keep()
        except (EmbeddedError, OSError) as error:
            self._write_state({"status": "failed", "error": str(error)})
            return 1
        else:
            # Before the servers end: nobody may take them for ready meanwhile.
            self._layout.state_file.unlink(missing_ok=True)
            return 0
        finally:
            self._stop_all()

    def _start_all(self) -> None:
        layout = self._layout
        secrets = ensure_secrets(layout.secrets_file)
        account = server_account(layout.postgres_data)
        binaries = settle_binaries(
            Wheels(Path(self._orders.postgres_package), Path(self._orders.valkey_package)),
            account=account,
            binaries_file=layout.binaries_file,
        )
        self._postgres = PostgresServer(
            layout,
            binaries=binaries,
            account=account,
            secrets=secrets,
            port=settle_port(layout.ports_file, "postgres"),
            durable=self._orders.durable,
        )
        self._valkey = ValkeyServer(
            layout,
            binaries=binaries,
            account=account,
            secrets=secrets,
            port=settle_port(layout.ports_file, "valkey"),
            durable=self._orders.durable,
        )
        self._valkey.start()
        self._postgres.make_cluster()
        self._postgres.start()
        self._postgres.prepare()
        self._announce()

    def _announce(self) -> None:
        if self._postgres is not None and self._valkey is not None:
            self._write_state(
                {
                    "status": "ready",
                    "postgres_port": self._postgres.port,
                    "valkey_port": self._valkey.port,
                }
            )

    def _keep(self) -> None:
        """Look after the servers until the users' lock can be had or a signal asks to end."""
        users = os.open(self._layout.users_lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        restarts, last_restart = 0, time.monotonic()
        while not self._leave.wait(LOOK_SECONDS):
            if _locked_exclusively(users):
                # Held until this process ends: who comes now waits and then starts a new keeper.
                return
            if self._restart_dead():
                restarts = restarts + 1 if time.monotonic() - last_restart < 60 else 1
                last_restart = time.monotonic()
                if restarts > MAX_RESTARTS:
                    raise EmbeddedError(
                        f"the embedded servers die again and again; see {self._layout.log_dir}"
                    )

    def _restart_dead(self) -> bool:
        """Start the servers again that ended by themselves; say whether there was one."""
        dead: list[PostgresServer | ValkeyServer] = [
            server
            for server in (self._postgres, self._valkey)
            if server is not None and not server.is_running()
        ]
        for server in dead:
            sys.stderr.write(f"{type(server).__name__} ended by itself; starting it again\n")
            server.start()
        return bool(dead)

    def _stop_all(self) -> None:
        for server in (self._valkey, self._postgres):
            if server is not None:
                server.stop()

    def _write_state(self, state: dict[str, object]) -> None:
        write_json(self._layout.state_file, {**state, "keeper_pid": os.getpid()})


def _locked_exclusively(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def main() -> int:
    """Read the orders and run, as nobody's child: the starter need not outlive the keeper."""
    orders = Orders(**json.load(sys.stdin))
    if os.fork():
        return 0
    return Keeper(orders).run()


if __name__ == "__main__":
    sys.exit(main())
