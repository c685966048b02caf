"""Uses the embedded services: starts them when none runs, ends them when nobody uses them.

Every process that needs the servers holds a shared lock on one file for as long. The kernel
gives the lock back however the process ends, so counting users needs no bookkeeping that a
SIGKILL or a power cut could leave wrong.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.embedded.binaries import find_wheels
from core.embedded.errors import EmbeddedError
from core.embedded.files import read_json
from core.embedded.keeper import Orders
from core.embedded.layout import REPOSITORY_DIR, Layout
from core.embedded.ports import LOOPBACK, remembered_port
from core.embedded.postgres import DATABASE, ROLE
from core.embedded.secrets_file import InstallationSecrets, read_secrets

START_SECONDS = 180.0
STOP_SECONDS = 45.0
MAX_STARTS = 4
"""Of a keeper that ends without a word."""


@dataclass(frozen=True)
class Addresses:
    """Where the servers are, passwords included."""

    database_url: str = field(repr=False)
    redis_url: str = field(repr=False)


class ServiceLease:
    """One user's hold on the running services."""

    def __init__(self, layout: Layout, *, durable: bool = True) -> None:
        self._layout = layout
        self._durable = durable
        self._users: int | None = None

    def acquire(self) -> Addresses:
        """Return the addresses of the running services, starting them when none runs.

        Raises:
            EmbeddedError: they do not start; says why and what to do.
        """
        self._layout.create()
        deadline = time.monotonic() + START_SECONDS
        self._users = _take_lock(self._layout, deadline=deadline)
        try:
            return self.ensure_running()
        except BaseException:
            self._drop()
            raise

    def ensure_running(self) -> Addresses:
        """Return the addresses, starting the services again if their keeper was killed.

        Raises:
            EmbeddedError: they do not start.
        """
        deadline = time.monotonic() + START_SECONDS
        starts = 0
        while time.monotonic() < deadline and starts < MAX_STARTS:
            lock = _try_lock(self._layout.keeper_lock, fcntl.LOCK_EX)
            if lock is not None:
                starts += 1
                self._start_keeper(lock)
            state = read_json(self._layout.state_file)
            if state.get("status") == "ready" and lock is None:
                return embedded_addresses(self._layout, required=True)
            if state.get("status") == "failed":
                raise EmbeddedError(str(state.get("error")))
            time.sleep(0.03)
        raise EmbeddedError(
            f"the embedded services were not ready after {START_SECONDS:.0f} s and {starts} starts; "
            f"see {self._layout.log_dir}"
        )

    def release(self, *, wait: bool = True) -> None:
        """Let go; when no other process uses the services, return after they have ended."""
        self._drop()
        if not wait:
            return
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline:
            keeper = _try_lock(self._layout.keeper_lock, fcntl.LOCK_SH)
            if keeper is not None:
                os.close(keeper)
                return
            if self._somebody_else_uses_them():
                return
            time.sleep(0.03)

    def _drop(self) -> None:
        if self._users is not None:
            os.close(self._users)
            self._users = None

    def _somebody_else_uses_them(self) -> bool:
        """Say whether others hold the users' lock shared (the ending keeper holds it alone)."""
        alone = _try_lock(self._layout.users_lock, fcntl.LOCK_EX)
        if alone is not None:
            os.close(alone)
            return False
        shared = _try_lock(self._layout.users_lock, fcntl.LOCK_SH)
        if shared is None:
            return False
        os.close(shared)
        return True

    def _start_keeper(self, lock: int) -> None:
        """Start the keeper; it inherits the lock, so nobody can come in between."""
        self._layout.state_file.unlink(missing_ok=True)
        wheels = find_wheels()
        orders = Orders(
            data_dir=str(self._layout.data_dir),
            postgres_package=str(wheels.postgres_package),
            valkey_package=str(wheels.valkey_package),
            durable=self._durable,
        )
        try:
            with (self._layout.log_dir / "keeper.log").open("ab") as log:
                subprocess.run(
                    [sys.executable, "-S", "-m", "core.embedded.keeper"],
                    input=json.dumps(dataclasses.asdict(orders)).encode("utf-8"),
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=REPOSITORY_DIR,
                    env={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"},
                    pass_fds=(lock,),
                    # Ctrl-C in a terminal must not reach the database before its users.
                    start_new_session=True,
                    check=False,
                )
        finally:
            os.close(lock)


@contextlib.contextmanager
def embedded_services(layout: Layout, *, durable: bool = True) -> Iterator[Addresses]:
    """Have the services for the block, and leave them as they were found.

    Raises:
        EmbeddedError: they do not start.
    """
    lease = ServiceLease(layout, durable=durable)
    addresses = lease.acquire()
    try:
        yield addresses
    finally:
        lease.release()


def embedded_addresses(layout: Layout, *, required: bool = False) -> Addresses:
    """Return where the services are or were last; starts and makes nothing.

    Without a first start there is no port and no password: the addresses then lead nowhere,
    which lets settings be imported for commands that need no database.

    Raises:
        EmbeddedError: `required`, and there was no first start.
    """
    postgres = remembered_port(layout.ports_file, "postgres")
    valkey = remembered_port(layout.ports_file, "valkey")
    secrets = read_secrets(layout.secrets_file)
    if required and (postgres is None or valkey is None or secrets is None):
        raise EmbeddedError(f"{layout.root} is incomplete; start again with `make run`")
    return _addresses(secrets, postgres_port=postgres or 1, valkey_port=valkey or 1)


def _addresses(
    secrets: InstallationSecrets | None, *, postgres_port: int, valkey_port: int
) -> Addresses:
    password = secrets.postgres_password if secrets else ""
    broker_password = secrets.valkey_password if secrets else ""
    return Addresses(
        database_url=f"postgresql://{ROLE}:{password}@{LOOPBACK}:{postgres_port}/{DATABASE}",
        redis_url=f"redis://:{broker_password}@{LOOPBACK}:{valkey_port}/0",
    )


def _take_lock(layout: Layout, *, deadline: float) -> int:
    """Return a descriptor with the users' lock, waiting while a keeper ends its servers."""
    while time.monotonic() < deadline:
        lock = _try_lock(layout.users_lock, fcntl.LOCK_SH)
        if lock is not None:
            return lock
        time.sleep(0.03)
    raise EmbeddedError(f"the embedded services do not end; see {layout.log_dir}")


def _try_lock(path: os.PathLike[str], kind: int) -> int | None:
    """Return a descriptor that holds the lock, None when somebody else's hold forbids it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
