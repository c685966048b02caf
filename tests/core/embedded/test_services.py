"""Starting, sharing, ending and surviving kills, with the real servers."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
import redis

from core.embedded.binaries import EXTENSIONS
from core.embedded.errors import EmbeddedError
from core.embedded.layout import Layout
from core.embedded.ports import LOOPBACK, remembered_port
from core.embedded.processes import is_alive, wait_until
from core.embedded.services import Addresses, ServiceLease, embedded_addresses, embedded_services
from tests.core.embedded.conftest import User, await_no_servers, kill_all, server_pids

pytestmark = pytest.mark.slow


def ask(addresses: Addresses, query: str) -> Any:
    """Return the first value of a query."""
    with psycopg.connect(addresses.database_url) as connection:
        row = connection.execute(query).fetchone()
        return row[0] if row else None


@contextmanager
def client_of(layout: Layout) -> Iterator[redis.Redis]:
    """Have the services, and a client of Valkey."""
    with (
        embedded_services(layout) as addresses,
        redis.Redis.from_url(addresses.redis_url) as client,
    ):
        yield client


def test_block_gets_both_servers_and_leaves_none_behind(layout: Layout):
    with embedded_services(layout, durable=False) as addresses:
        with psycopg.connect(addresses.database_url) as connection:
            names = {row[0] for row in connection.execute("SELECT extname FROM pg_extension")}
        with redis.Redis.from_url(addresses.redis_url) as client:
            assert client.ping()
        assert names >= set(EXTENSIONS)
        assert set(server_pids(layout)) == {"keeper", "postgres", "valkey"}
    assert server_pids(layout) == {}


def test_role_of_the_product_is_no_superuser(layout: Layout):
    with embedded_services(layout, durable=False) as addresses:
        query = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
        assert ask(addresses, query) is False


def test_servers_ask_for_a_password(layout: Layout):
    with embedded_services(layout, durable=False):
        ports = [remembered_port(layout.ports_file, name) for name in ("postgres", "valkey")]
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(f"postgresql://weknora@{LOOPBACK}:{ports[0]}/weknora")
        with (
            redis.Redis(host=LOOPBACK, port=ports[1] or 0) as client,
            pytest.raises(redis.AuthenticationError),
        ):
            client.ping()


def test_four_starters_at_once_get_the_same_server(layout: Layout):
    users = [User(layout) for _ in range(4)]
    urls = {user.database_url() for user in users}
    pids = server_pids(layout)
    for user in users:
        user.leave()
    assert len(urls) == 1
    assert set(pids) == {"keeper", "postgres", "valkey"}
    assert server_pids(layout) == {}


def test_services_stay_while_somebody_uses_them(layout: Layout):
    first = User(layout)
    first.database_url()
    before = server_pids(layout)
    second = User(layout)
    second.database_url()
    first.leave()
    assert server_pids(layout) == before
    second.leave()
    assert server_pids(layout) == {}


def test_services_end_when_their_only_user_is_killed(layout: Layout):
    user = User(layout)
    user.database_url()
    assert server_pids(layout)
    user.kill()
    assert await_no_servers(layout)


def test_rows_survive_when_everything_is_killed(layout: Layout):
    user = User(layout, durable=True)
    with psycopg.connect(user.database_url(), autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS kept")
        connection.execute("CREATE TABLE kept AS SELECT generate_series(1, 1000) AS number")
    kill_all(layout)
    user.kill()
    with embedded_services(layout) as addresses:
        assert ask(addresses, "SELECT count(*) FROM kept") == 1000


def test_pid_file_of_another_program_does_not_stop_the_start(layout: Layout):
    with embedded_services(layout, durable=False):
        pass
    # After a power cut the pid may be anybody's: here it is this very process.
    (layout.postgres_data / "postmaster.pid").write_text(
        f"{os.getpid()}\n{layout.postgres_data}\n1\n5432\n\n\n\n", encoding="utf-8"
    )
    with embedded_services(layout, durable=False) as addresses:
        assert ask(addresses, "SELECT 1") == 1


def test_killed_server_is_started_again(layout: Layout):
    with embedded_services(layout, durable=False) as addresses:
        killed = server_pids(layout)["postgres"]
        os.kill(killed, signal.SIGKILL)

        def answers() -> bool:
            try:
                with psycopg.connect(addresses.database_url):
                    return True
            except psycopg.OperationalError:
                return False

        assert wait_until(lambda: not is_alive(killed), timeout_seconds=5)
        assert wait_until(answers, timeout_seconds=20)


def test_lease_brings_back_services_whose_keeper_was_killed(layout: Layout):
    lease = ServiceLease(layout, durable=False)
    lease.acquire()
    killed = server_pids(layout)["keeper"]
    os.kill(killed, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(killed), timeout_seconds=5)
    addresses = lease.ensure_running()
    assert ask(addresses, "SELECT 1") == 1
    lease.release()
    assert server_pids(layout) == {}


def test_taken_port_is_replaced_by_another(layout: Layout):
    with embedded_services(layout, durable=False):
        before = remembered_port(layout.ports_file, "postgres")
    with (
        socket.create_server((LOOPBACK, before or 0)),
        embedded_services(layout, durable=False) as addresses,
    ):
        assert ask(addresses, "SELECT 1") == 1
        assert remembered_port(layout.ports_file, "postgres") != before


def test_cluster_of_another_major_version_is_named(layout: Layout):
    with embedded_services(layout, durable=False):
        pass
    version = layout.postgres_data / "PG_VERSION"
    right = version.read_text(encoding="utf-8")
    version.write_text("12\n", encoding="utf-8")
    try:
        with pytest.raises(EmbeddedError, match="written by PostgreSQL 12"):
            ServiceLease(layout, durable=False).acquire()
    finally:
        version.write_text(right, encoding="utf-8")
    assert await_no_servers(layout)


def test_unreadable_append_only_file_is_put_aside(layout: Layout):
    with client_of(layout) as client:
        client.set("key", "value")
    for file in (layout.valkey_data / "appendonlydir").glob("*.aof"):
        file.write_bytes(b"\x00garbage that is no command\r\n" * 20)
    with client_of(layout) as client:
        assert client.get("key") is None
    assert list(layout.valkey_data.glob("appendonlydir.unreadable-*"))


def test_valkey_keeps_messages_over_a_restart(layout: Layout):
    with client_of(layout) as client:
        client.lpush("queue", "message")
    with client_of(layout) as client:
        assert client.lpop("queue") == b"message"


def test_addresses_need_no_first_start(tmp_path):
    addresses = embedded_addresses(Layout(tmp_path / "nothing"))
    assert addresses.database_url == "postgresql://weknora:@127.0.0.1:1/weknora"
    assert not (tmp_path / "nothing").exists()


def test_addresses_show_no_password_when_printed(layout: Layout):
    assert "password" not in repr(embedded_addresses(layout))
    assert "redis://" not in repr(embedded_addresses(layout))
