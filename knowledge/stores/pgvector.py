"""PostgreSQL with pgvector behind the contract: the default, and the truth of all other stores.

Searches of people do not come by here: `knowledge.retrieval.dense` asks in one statement for what is
near and may be seen. This is the same table as other stores are measured by.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet
from pgvector import HalfVector
from pgvector.django import CosineDistance

from core.errors import NoSpaceScope
from core.tenancy import current_space_id
from knowledge.models import Embedding
from knowledge.stores.contract import Collection, Near, Point, StoreProbe, Vector, score_of_cosine


class PgVectorStore:
    """The table of embeddings of the space that is open."""

    def probe(self) -> StoreProbe:
        """Return the versions of both."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT current_setting('server_version'), extversion"
                " FROM pg_extension WHERE extname = 'vector'"
            )
            server, extension = cursor.fetchone()
        return StoreProbe(server=f"PostgreSQL {server}, pgvector {extension}")

    def ensure(self, collection: Collection) -> None:
        """Do nothing: the table is there; jobs make its index when it is large."""

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        """Write rows."""
        space_id = current_space_id()
        if space_id is None:
            raise NoSpaceScope("vectors are written inside of a space")
        Embedding.objects.bulk_create(
            [
                Embedding(
                    space_id=space_id,
                    base_id=point.base_id,
                    chunk_id=point.chunk_id,
                    identity=collection.identity,
                    dimensions=collection.dimensions,
                    vector=point.vector,
                )
                for point in points
            ],
            update_conflicts=True,
            unique_fields=["chunk", "identity"],
            update_fields=["base", "dimensions", "vector"],
        )

    def delete(
        self,
        collection: Collection,
        *,
        base_id: UUID,
        chunk_ids: Sequence[UUID] | None = None,
        document_id: UUID | None = None,
    ) -> None:
        """Remove rows."""
        rows = self._rows(collection).filter(base_id=base_id)
        if document_id is not None:
            rows = rows.filter(chunk__document_id=document_id)
        if chunk_ids is not None:
            rows = rows.filter(chunk_id__in=chunk_ids)
        rows.delete()

    def search(
        self,
        collection: Collection,
        vector: Vector,
        *,
        limit: int,
        base_ids: Sequence[UUID],
        document_ids: Sequence[UUID] | None = None,
    ) -> list[Near]:
        """Compare with every row of these bases."""
        rows = self._rows(collection).filter(base_id__in=base_ids)
        if document_ids is not None:
            rows = rows.filter(chunk__document_id__in=document_ids)
        near = rows.annotate(distance=CosineDistance("vector", HalfVector(vector)))
        found = near.order_by("distance", "chunk_id").values_list("chunk_id", "distance")
        return [
            Near(chunk_id=chunk_id, score=score_of_cosine(1.0 - distance))
            for chunk_id, distance in found[:limit]
        ]

    def count(self, collection: Collection, *, base_id: UUID | None = None) -> int:
        """Count rows."""
        rows = self._rows(collection)
        return (rows.filter(base_id=base_id) if base_id else rows).count()

    def drop(self, collection: Collection) -> None:
        """Remove the rows."""
        self._rows(collection).delete()

    def close(self) -> None:
        """Do nothing: the connection is Django's."""

    def _rows(self, collection: Collection) -> QuerySet[Embedding]:
        return Embedding.objects.filter(
            identity=collection.identity, dimensions=collection.dimensions
        )
