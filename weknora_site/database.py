"""What the product asks of its database: that it answers, its extensions, its migrations."""

from __future__ import annotations

import logging
import re
import time

from django.db import OperationalError, ProgrammingError, connection
from django.db.migrations.executor import MigrationExecutor

logger = logging.getLogger(__name__)
MINIMUM_SERVER = 150_000
"""PostgreSQL 15, as the server numbers itself."""
EXTENSIONS: dict[str, tuple[int, ...]] = {
    "vector": (0, 8),
    "pg_trgm": (1, 5),
    "unaccent": (1, 1),
    "btree_gin": (1, 3),
}
"""The lowest version of each extension that we work with."""


class DatabaseUnfit(Exception):
    """The database cannot be used as it is; says what is missing and how to add it."""


def wait_for_database(*, timeout_seconds: float) -> None:
    """Return when the database answers.

    Raises:
        DatabaseUnfit: it did not in time.
    """
    deadline = time.monotonic() + timeout_seconds
    while True:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        except OperationalError as error:
            connection.close()
            if time.monotonic() > deadline:
                raise DatabaseUnfit(f"the database does not answer: {error}".strip()) from None
            time.sleep(0.5)
        else:
            return


def make_extensions() -> None:
    """Add the extensions that are missing and allowed to be added; `missing_extensions` judges."""
    for name in EXTENSIONS:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_extension WHERE extname = %s", [name])
            if cursor.fetchone():
                continue
            cursor.execute("SELECT 1 FROM pg_available_extensions WHERE name = %s", [name])
            if cursor.fetchone():
                _try_to_create(name)


def _try_to_create(name: str) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute(f'CREATE EXTENSION IF NOT EXISTS "{name}"')
    except ProgrammingError as error:
        # Not allowed to this role: the check that follows says what its owner must do.
        logger.info("The extension %s cannot be added: %s", name, error)


def missing_extensions() -> list[str]:
    """Return in words what is missing or too old; empty when all is well."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        server = int(cursor.fetchone()[0])
        cursor.execute("SELECT extname, extversion FROM pg_extension")
        found = dict(cursor.fetchall())
    problems = []
    if server < MINIMUM_SERVER:
        problems.append(f"PostgreSQL {server // 10_000} is too old: 15 or newer is needed")
    for name, minimum in EXTENSIONS.items():
        wanted = ".".join(map(str, minimum))
        if name not in found:
            problems.append(
                f"the extension {name} is missing: as a superuser run "
                f"CREATE EXTENSION {name}; in this database"
            )
        elif _version(found[name]) < minimum:
            problems.append(
                f"the extension {name} is {found[name]}, {wanted} or newer is needed: "
                f"ALTER EXTENSION {name} UPDATE;"
            )
    return problems


def pending_migrations() -> list[str]:
    """Return the migrations that are not applied, as `app.name`, in order."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


def _version(text: str) -> tuple[int, ...]:
    """Return the leading numbers of a version, comparable."""
    found = re.match(r"\d+(\.\d+)*", text)
    return tuple(map(int, found[0].split("."))) if found else ()
