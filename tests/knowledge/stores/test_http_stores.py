"""Stores over HTTP: what is said on the wire, whom it is said to, and what errors hold."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import numpy as np
import pytest

from core.addresses import AddressRefused
from core.errors import Invalid
from knowledge.stores.connection import Connection, dial
from knowledge.stores.contract import Collection, Point, Store, StoreFailed
from knowledge.stores.libraries import library
from knowledge.stores.milvus import MilvusStore
from knowledge.stores.opensearch import OpenSearchStore
from knowledge.stores.options import StoreOptions
from knowledge.stores.qdrant import QdrantStore
from tests.knowledge.stores.conftest import vectors
from tests.knowledge.stores.search_server import SearchServer, search_server

QUICK = StoreOptions(search_seconds=1.0, write_seconds=2.0)


def to(address: str, **fields: str) -> Connection:
    return Connection(owner=uuid4(), name="Far", address=address, options=QUICK, **fields)


@pytest.fixture(params=["opensearch", "elasticsearch"])
def server(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SearchServer]:
    with search_server(request.param) as made:
        monkeypatch.setattr("core.dialling._trusted", {("127.0.0.1", made.server_port)})
        yield made


def test_both_servers_write_find_count_and_remove(server: SearchServer) -> None:
    connection = to(server.address, user_name="ana", api_key="s3cret")
    store = OpenSearchStore(connection)
    collection = Collection(owner=connection.owner, identity="m", dimensions=32)
    values = vectors(20)
    base, other, document = uuid4(), uuid4(), uuid4()
    points = [
        Point(
            chunk_id=uuid4(), base_id=other if n % 4 == 0 else base, document_id=document, vector=v
        )
        for n, v in enumerate(values)
    ]
    assert store.search(collection, values[0], limit=5, base_ids=[base]) == []
    assert store.count(collection) == 0
    store.ensure(collection)
    store.ensure(collection)
    store.upsert(collection, points)
    own = [point for point in points if point.base_id == base]
    near = store.search(collection, values[1], limit=6, base_ids=[base], document_ids=[document])
    expected = sorted(own, key=lambda each: -float(np.dot(each.vector, values[1])))[:6]
    assert [each.chunk_id for each in near] == [each.chunk_id for each in expected]
    assert near[0].score == pytest.approx(1.0, abs=1e-4)
    store.delete(collection, base_id=other, chunk_ids=[own[0].chunk_id])
    assert (store.count(collection), store.count(collection, base_id=base)) == (20, 15)
    store.delete(collection, base_id=base, chunk_ids=[own[0].chunk_id])
    store.delete(collection, base_id=other)
    assert store.count(collection) == 14
    store.drop(collection)
    store.drop(collection)
    assert store.count(collection) == 0
    assert store.probe().server.lower().startswith(server.distribution)
    assert server.logins == {"Basic YW5hOnMzY3JldA=="}
    store.close()


def test_a_server_without_the_plugin_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with search_server() as server:
        monkeypatch.setattr("core.dialling._trusted", {("127.0.0.1", server.server_port)})
        server.plugins.clear()
        store = OpenSearchStore(to(server.address))
        with pytest.raises(StoreFailed, match="no k-NN plugin"):
            store.probe()
        store.close()


@pytest.mark.parametrize("kind", [QdrantStore, MilvusStore, OpenSearchStore])
def test_inner_addresses_are_not_dialled(kind: type[Store]) -> None:
    pytest.importorskip("qdrant_client")
    pytest.importorskip("pymilvus")
    store = kind(to("http://127.0.0.1:6399", api_key="s3cret"))  # type: ignore[call-arg]  # each takes one
    with pytest.raises(StoreFailed) as caught:
        store.probe()
    failure = caught.value
    assert "s3cret" not in f"{failure.message} {failure.provider_message}"
    store.close()


def test_a_name_is_turned_into_a_judged_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.dialling._resolve", lambda host, port: ["93.184.215.14"])
    dialled = dial("https://vectors.example.com:19530")
    assert (dialled.number, dialled.host) == ("93.184.215.14", "vectors.example.com")
    monkeypatch.setattr("core.dialling._resolve", lambda host, port: ["93.184.215.14", "10.0.0.1"])
    with pytest.raises(AddressRefused):
        dial("https://vectors.example.com:19530")


def test_a_missing_library_names_the_command() -> None:
    with pytest.raises(
        Invalid, match=r"pip install -r requirements-vectors.txt -c constraints.txt"
    ):
        library("qdrant_client_of_tomorrow")
