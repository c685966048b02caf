"""The servers of a test run: one throw-away PostgreSQL and Valkey for all of its processes.

They start when the first test asks for them and end with the last process of the run. Each process
works in a database of its own, cloned from a template that is migrated once for each state of the
migrations.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from psycopg import sql

from core.embedded.errors import EmbeddedError
from core.embedded.files import locked
from core.embedded.layout import REPOSITORY_DIR, Layout
from core.embedded.processes import is_alive
from core.embedded.services import Addresses, ServiceLease

KEPT_TEMPLATES = 2


class TestServices:
    """A lease on the run's servers, taken at the first use."""

    __test__ = False

    def __init__(self, *, worker: str) -> None:
        """`worker` is the name of this pytest process: `main`, `gw0`, `gw1`…"""
        self.worker = worker
        root = Path(os.environ.get("WEKNORA_TEST_DIR", REPOSITORY_DIR / "var" / "test"))
        self.layout = Layout(root)
        self._lease = ServiceLease(self.layout, durable=False)
        self._addresses: Addresses | None = None

    @property
    def addresses(self) -> Addresses:
        """Where the servers are; the first use starts them."""
        if self._addresses is None:
            try:
                self._addresses = self._lease.acquire()
            except EmbeddedError as error:
                # Written without syncing: a crash of the machine may have cost it.
                error.add_note(f"If that stays so, remove {self.layout.data_dir}.")
                raise
        return self._addresses

    @property
    def redis_url(self) -> str:
        """A numbered database of Valkey for this process alone."""
        number = 1 + (int(self.worker.removeprefix("gw")) if self.worker != "main" else 0)
        return f"{self.addresses.redis_url.rpartition('/')[0]}/{number}"

    def release(self) -> None:
        """Let go of the servers."""
        if self._addresses is not None:
            self._lease.release()
            self._addresses = None

    @contextmanager
    def database(self) -> Iterator[str]:
        """Point Django at a fresh, migrated database for the block; yield its name."""
        name = f"test_{self.worker}_{os.getpid()}"
        template = f"template_{_migrations_fingerprint()}"
        self.addresses  # noqa: B018  makes the directory of the lock, too
        with locked(self.layout.root / "template.lock"):
            self._drop_abandoned()
            self._ensure_template(template)
            self._clone(template, name)
        _point_django_at(self.addresses.database_url, name)
        try:
            yield name
        finally:
            connections.close_all()
            self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def _ensure_template(self, template: str) -> None:
        """Make the migrated template unless an earlier run of the same migrations left it."""
        existing = self._names("template\\_%")
        if template in existing:
            return
        for outdated in existing[: -(KEPT_TEMPLATES - 1)]:
            self._drop(outdated)
        draft = "draft_template"
        self._drop(draft)
        self._execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(draft)))
        _point_django_at(self.addresses.database_url, draft)
        call_command("migrate", verbosity=0, interactive=False)
        connections.close_all()
        self._execute(
            sql.SQL("ALTER DATABASE {} RENAME TO {}").format(
                sql.Identifier(draft), sql.Identifier(template)
            )
        )

    def _clone(self, template: str, name: str) -> None:
        self._drop(name)
        self._execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY wal_log").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )

    def _drop_abandoned(self) -> None:
        """Drop the databases of runs that were killed."""
        for name in self._names("test\\_%"):
            pid = name.rpartition("_")[2]
            if pid.isdigit() and not is_alive(int(pid)):
                self._drop(name)

    def _names(self, pattern: str) -> list[str]:
        """Return the databases whose name fits, oldest first."""
        with psycopg.connect(self.addresses.database_url, autocommit=True) as connection:
            rows = connection.execute(
                "SELECT datname FROM pg_database WHERE datname LIKE %s ORDER BY oid", [pattern]
            ).fetchall()
        return [row[0] for row in rows]

    def _drop(self, name: str) -> None:
        self._execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.addresses.database_url, autocommit=True) as connection:
            connection.execute(statement)


def _point_django_at(database_url: str, name: str) -> None:
    """Change Django's one database in place: its connection objects share the dictionary."""
    info = psycopg.conninfo.conninfo_to_dict(database_url)
    connections.close_all()
    database: dict[str, Any] = settings.DATABASES["default"]
    database.update(
        NAME=name,
        USER=info["user"],
        PASSWORD=info["password"],
        HOST=info["host"],
        PORT=str(info["port"]),
    )


def _migrations_fingerprint() -> str:
    """Return a short name for what all migrations together make."""
    digest = hashlib.sha256()
    for config in sorted(apps.get_app_configs(), key=lambda one: one.name):
        for file in sorted((Path(config.path) / "migrations").glob("*.py")):
            digest.update(f"{config.name}/{file.name}".encode())
            digest.update(file.read_bytes())
    # What follows every migration makes a part of the database, too.
    digest.update((REPOSITORY_DIR / "core" / "space_keys.py").read_bytes())
    return digest.hexdigest()[:16]
