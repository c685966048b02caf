"""Milvus through its own client.

It speaks gRPC and cannot take our client: the address is judged when it is saved and again before
each connection, which then goes to the very number that was judged (`docs/threat_model.md`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from knowledge.stores.connection import Connection, dial
from knowledge.stores.contract import (
    Collection,
    Near,
    Point,
    StoreProbe,
    Vector,
    score_of_cosine,
    unit,
)
from knowledge.stores.failures import named_failures
from knowledge.stores.libraries import library

_MOST_ROWS = 16_384
"""Of one answer; the server refuses more."""


class MilvusStore:
    """A Milvus server, or a file of Milvus Lite."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._milvus = library("pymilvus")
        self._known: Any = None
        self._loaded: set[str] = set()

    def probe(self) -> StoreProbe:
        """Ask for the version and for the list of collections, which needs the key."""
        with self._failures():
            self._client.list_collections(timeout=self._search_seconds)
            version = self._client.get_server_version(timeout=self._search_seconds)
            return StoreProbe(server=f"Milvus {str(version).removeprefix('v')}")

    def ensure(self, collection: Collection) -> None:
        """Make and load the collection; bases are its partition key."""
        kinds = self._milvus.DataType
        with self._failures():
            if self._has(collection):
                return
            schema = self._client.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("id", kinds.VARCHAR, is_primary=True, max_length=36)
            schema.add_field("base_id", kinds.VARCHAR, max_length=36, is_partition_key=True)
            schema.add_field("document_id", kinds.VARCHAR, max_length=36)
            schema.add_field("vector", kinds.FLOAT_VECTOR, dim=collection.dimensions)
            index = self._client.prepare_index_params()
            index.add_index("vector", index_type="AUTOINDEX", metric_type="COSINE")
            self._client.create_collection(
                collection.name,
                schema=schema,
                index_params=index,
                consistency_level="Strong",
                timeout=self._write_seconds,
            )

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        """Write points."""
        with self._failures():
            self._client.upsert(
                collection.name,
                [
                    {
                        "id": str(point.chunk_id),
                        "base_id": str(point.base_id),
                        "document_id": str(point.document_id),
                        "vector": unit(point.vector),
                    }
                    for point in points
                ],
                timeout=self._write_seconds,
            )

    def delete(
        self,
        collection: Collection,
        *,
        base_id: UUID,
        chunk_ids: Sequence[UUID] | None = None,
        document_id: UUID | None = None,
    ) -> None:
        """Remove points by a filter that names the base in any case."""
        if chunk_ids is not None and not chunk_ids:
            return
        parts = [_one_of("base_id", [base_id])]
        if document_id is not None:
            parts.append(_one_of("document_id", [document_id]))
        if chunk_ids is not None:
            parts.append(_one_of("id", chunk_ids))
        with self._failures():
            if self._has(collection):
                self._client.delete(
                    collection.name, filter=" and ".join(parts), timeout=self._write_seconds
                )

    def search(
        self,
        collection: Collection,
        vector: Vector,
        *,
        limit: int,
        base_ids: Sequence[UUID],
        document_ids: Sequence[UUID] | None = None,
    ) -> list[Near]:
        """Ask for the nearest points; its "distance" is the cosine."""
        parts = [_one_of("base_id", base_ids)]
        if document_ids is not None:
            parts.append(_one_of("document_id", document_ids))
        with self._failures():
            if not self._has(collection):
                return []
            (found,) = self._client.search(
                collection.name,
                data=[unit(vector)],
                filter=" and ".join(parts),
                limit=min(limit, _MOST_ROWS),
                search_params={"metric_type": "COSINE"},
                timeout=self._search_seconds,
            )
            return [
                Near(chunk_id=UUID(str(each["id"])), score=score_of_cosine(each["distance"]))
                for each in found
            ]

    def count(self, collection: Collection, *, base_id: UUID | None = None) -> int:
        """Count what can be found now."""
        with self._failures():
            if not self._has(collection):
                return 0
            rows = self._client.query(
                collection.name,
                filter=_one_of("base_id", [base_id]) if base_id else "",
                output_fields=["count(*)"],
                timeout=self._write_seconds,
            )
            return int(rows[0]["count(*)"])

    def drop(self, collection: Collection) -> None:
        """Remove the collection."""
        with self._failures():
            if self._has(collection):
                self._client.drop_collection(collection.name, timeout=self._write_seconds)

    def close(self) -> None:
        """Close the client."""
        if self._known is not None:
            self._known.close()
            self._known = None
        self._loaded.clear()

    @property
    def _client(self) -> Any:
        """The client; it dials when it is made."""
        if self._known is None:
            self._known = self._open()
        return self._known

    def _open(self) -> Any:
        to = self._connection
        if to.is_embedded:
            return self._milvus.MilvusClient(to.address)
        dialled = dial(to.address)
        host = f"[{dialled.number}]" if ":" in dialled.number else dialled.number
        scheme = "https" if dialled.is_secure else "http"
        token = f"{to.user_name}:{to.api_key}" if to.user_name else to.api_key
        return self._milvus.MilvusClient(
            uri=f"{scheme}://{host}:{dialled.port}",
            token=token,
            db_name=to.options.database,
            timeout=self._search_seconds,
            **({"secure": True, "server_name": dialled.host} if dialled.is_secure else {}),
        )

    def _has(self, collection: Collection) -> bool:
        """Say whether the collection is there, and have it loaded: it is not always after a restart."""
        if not self._client.has_collection(collection.name, timeout=self._search_seconds):
            self._loaded.discard(collection.name)
            return False
        if collection.name not in self._loaded:
            self._client.load_collection(collection.name, timeout=self._write_seconds)
            self._loaded.add(collection.name)
        return True

    @property
    def _search_seconds(self) -> float:
        return self._connection.options.search_seconds

    @property
    def _write_seconds(self) -> float:
        return self._connection.options.write_seconds

    def _failures(self) -> Any:
        return named_failures(self._connection.name, secret=self._connection.api_key)


def _one_of(field: str, ids: Sequence[UUID]) -> str:
    """Return a filter; ids are UUIDs, so that nothing of it is anybody's words."""
    return f"{field} in {json.dumps([str(each) for each in ids])}"
