"""A database of an earlier version is brought to the present one, and what was in it is there."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from core.embedded.binaries import find_wheels
from core.embedded.layout import REPOSITORY_DIR
from tests.services import TestServices

DUMPS = sorted((REPOSITORY_DIR / "tests" / "data" / "upgrades").glob("*.sql.gz"))
pytestmark = pytest.mark.slow


@pytest.fixture
def database_url(test_services: TestServices) -> Iterator[str]:
    """An empty database of the test cluster."""
    name = sql.Identifier(f"upgrade_{os.getpid()}")
    server, _, _ = test_services.addresses.database_url.rpartition("/")
    with psycopg.connect(test_services.addresses.database_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        try:
            yield f"{server}/upgrade_{os.getpid()}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def load(dump: Path, database_url: str) -> None:
    """Fill the database from a dump; extensions that only a superuser makes are there already."""
    text = gzip.decompress(dump.read_bytes()).splitlines(keepends=True)
    lines = [line for line in text if not line.startswith(b"COMMENT ON EXTENSION")]
    psql = find_wheels().postgres_package / "pginstall" / "bin" / "psql"
    done = subprocess.run(
        [str(psql), "--quiet", "--set=ON_ERROR_STOP=1", database_url],
        input=b"".join(lines),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.name)
def test_earlier_version_is_migrated_with_all_that_was_in_it(
    dump: Path, database_url: str, tmp_path: Path
) -> None:
    load(dump, database_url)
    environment = {**os.environ, "DATABASE_URL": database_url, "WEKNORA_DATA_DIR": str(tmp_path)}
    for arguments in (["migrate", "--no-input"], ["migrate", "--check"]):
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=REPOSITORY_DIR,
            env={**environment, "REDIS_URL": "redis://127.0.0.1:1/0"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    with psycopg.connect(database_url) as connection:
        [(documents,)] = connection.execute("SELECT count(*) FROM knowledge_document").fetchall()
        [(answer,)] = connection.execute(
            "SELECT text FROM agents_message WHERE role = 'assistant'"
        ).fetchall()
    assert documents == 2
    assert "thirty years" in answer
