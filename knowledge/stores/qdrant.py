"""Qdrant through its own client, over HTTP by our guarded transport."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from core.addresses import read_target
from core.dialling import GuardedTransport, mounts
from knowledge.stores.connection import Connection
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


class QdrantStore:
    """A Qdrant server, or a folder of its embedded mode."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._models = library("qdrant_client.models")
        self._client = self._open()

    def probe(self) -> StoreProbe:
        """Ask for the version and for the list of collections, which needs the key."""
        with self._failures():
            self._client.get_collections()
            if self._connection.is_embedded:
                return StoreProbe(server="Qdrant, embedded")
            return StoreProbe(server=f"Qdrant {self._client.info().version}")

    def ensure(self, collection: Collection) -> None:
        """Make the collection and the indexes that its filters use."""
        models = self._models
        with self._failures():
            if self._client.collection_exists(collection.name):
                return
            self._client.create_collection(
                collection.name,
                vectors_config=models.VectorParams(
                    size=collection.dimensions, distance=models.Distance.COSINE
                ),
            )
            if self._connection.is_embedded:
                return  # it reads everything anyway, and warns of indexes
            tenant = models.KeywordIndexParams(type="keyword", is_tenant=True)
            self._client.create_payload_index(collection.name, "base_id", field_schema=tenant)
            self._client.create_payload_index(
                collection.name, "document_id", field_schema=models.PayloadSchemaType.KEYWORD
            )

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        """Write points and wait until they can be found."""
        models = self._models
        with self._failures():
            self._client.upsert(
                collection.name,
                points=[
                    models.PointStruct(
                        id=str(point.chunk_id),
                        vector=unit(point.vector),
                        payload={
                            "base_id": str(point.base_id),
                            "document_id": str(point.document_id),
                        },
                    )
                    for point in points
                ],
                wait=True,
                **self._patience(),
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
        models = self._models
        must = [self._one_of("base_id", [base_id])]
        if document_id is not None:
            must.append(self._one_of("document_id", [document_id]))
        if chunk_ids is not None:
            if not chunk_ids:
                return
            must.append(models.HasIdCondition(has_id=[str(each) for each in chunk_ids]))
        with self._failures():
            if self._client.collection_exists(collection.name):
                selector = models.FilterSelector(filter=models.Filter(must=must))
                self._client.delete(
                    collection.name, points_selector=selector, wait=True, **self._patience()
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
        """Ask for the nearest points; its score is the cosine."""
        must = [self._one_of("base_id", base_ids)]
        if document_ids is not None:
            must.append(self._one_of("document_id", document_ids))
        with self._failures():
            if not self._client.collection_exists(collection.name):
                return []
            found = self._client.query_points(
                collection.name,
                query=unit(vector),
                query_filter=self._models.Filter(must=must),
                limit=limit,
                with_payload=False,
            )
            return [
                Near(chunk_id=UUID(str(each.id)), score=score_of_cosine(each.score))
                for each in found.points
            ]

    def count(self, collection: Collection, *, base_id: UUID | None = None) -> int:
        """Count exactly."""
        models = self._models
        only = models.Filter(must=[self._one_of("base_id", [base_id])]) if base_id else None
        with self._failures():
            if not self._client.collection_exists(collection.name):
                return 0
            return int(self._client.count(collection.name, count_filter=only, exact=True).count)

    def drop(self, collection: Collection) -> None:
        """Remove the collection."""
        with self._failures():
            if self._client.collection_exists(collection.name):
                self._client.delete_collection(collection.name)

    def close(self) -> None:
        """Close the client."""
        self._client.close()

    def _open(self) -> Any:
        client = library("qdrant_client").QdrantClient
        to = self._connection
        if to.is_embedded:
            return client(":memory:") if to.address == ":memory:" else client(path=to.address)
        target = read_target(to.address)
        with warnings.catch_warnings():
            # It warns of keys over http: inside of one network an operator may mean that.
            warnings.simplefilter("ignore", UserWarning)
            return client(
                url=to.address,
                port=target.port,
                api_key=to.api_key or None,
                prefer_grpc=False,
                check_compatibility=False,  # it would dial before anybody asked
                timeout=max(1, round(to.options.search_seconds)),
                transport=GuardedTransport(),
                mounts=mounts(),
                trust_env=False,  # the proxies are among the mounts
                follow_redirects=False,
            )

    def _patience(self) -> dict[str, int]:
        if self._connection.is_embedded:
            return {}
        return {"timeout": round(self._connection.options.write_seconds)}

    def _one_of(self, key: str, ids: Sequence[UUID]) -> Any:
        values = [str(each) for each in ids]
        return self._models.FieldCondition(key=key, match=self._models.MatchAny(any=values))

    def _failures(self) -> Any:
        return named_failures(self._connection.name, secret=self._connection.api_key)
