"""When a pooled connection is asked whether it lives."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from django.conf import settings
from psycopg_pool import ConnectionPool

from core import pooling

pytestmark = pytest.mark.django_db


@pytest.fixture
def connection() -> Any:
    database = settings.DATABASES["default"]
    names = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host"}
    values = {theirs: database[ours] for ours, theirs in names.items()}
    with psycopg.connect(**values, port=database["PORT"], autocommit=True) as opened:
        yield opened


def test_pools_check_connections_so() -> None:
    assert ConnectionPool.check_connection is pooling.check_rested


def test_a_connection_that_answered_is_trusted_for_a_second(
    connection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(pooling, "_ask", asked.append)
    clock = [100.0]
    monkeypatch.setattr(pooling, "monotonic", lambda: clock[0])
    for at in (100.0, 100.9, 101.0, 101.5, 102.1):
        clock[0] = at
        pooling.check_rested(connection)
    assert len(asked) == 3


def test_a_dead_connection_that_rested_is_found_out(connection: Any) -> None:
    connection.close()
    with pytest.raises(psycopg.OperationalError):
        pooling.check_rested(connection)
