"""The nearest passages by meaning, in PostgreSQL with pgvector.

Up to `EXACT_LIMIT` permitted passages every vector is compared: a filter ruins the approximate
index (recall 0.07 for one base of fifty), and the comparison takes some milliseconds. Above, the
index is read on and on until enough permitted passages were met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray
from pgvector import HalfVector

from knowledge.retrieval.scope import Searched

EXACT_LIMIT = 20_000
OVER_FETCH = 3
"""The relaxed order of the index is only about right: more rows are fetched, then sorted."""
EF_SEARCH = 100


@dataclass(frozen=True, kw_only=True)
class QueryVector:
    """The question in one model's space."""

    identity: str
    vector: NDArray[np.float32]

    @property
    def dimensions(self) -> int:
        """Length of the vector."""
        return len(self.vector)


@dataclass(frozen=True, kw_only=True)
class DenseHit:
    """A passage near the question."""

    chunk_id: UUID
    identity: str
    score: float
    """Cosine: -1..1."""
    rank: int
    """From 1, among the passages of its identity."""


Placed = tuple[float, UUID, int, UUID]
"""Distance, document, position, passage: in the order of hits."""


def search_dense(where: Searched, query: QueryVector, *, limit: int, exact: bool) -> list[DenseHit]:
    """Return the passages nearest to `query`, nearest first; ties by document and position."""
    placed = search_placed(where, query, limit=limit, exact=exact, base_ids=where.base_ids)
    return hits_of(query, placed)


def search_placed(
    where: Searched, query: QueryVector, *, limit: int, exact: bool, base_ids: Sequence[UUID]
) -> list[Placed]:
    """Search only these of the bases; see `search_dense`."""
    near, values = _near(where, query, base_ids)
    if exact:
        return _nearest(near, values, limit)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL hnsw.iterative_scan = 'relaxed_order'")
        cursor.execute(f"SET LOCAL hnsw.ef_search = {EF_SEARCH}")
        # The planner takes the index for dearer than it is.
        cursor.execute("SET LOCAL enable_sort = off")
        rows = _nearest(f"{near} ORDER BY distance LIMIT {limit * OVER_FETCH}", values, limit)
        cursor.execute("SET LOCAL enable_sort = on")
    return rows


def place_among(
    where: Searched,
    query: QueryVector,
    chunk_ids: Sequence[UUID],
    *,
    base_ids: Sequence[UUID],
    limit: int,
) -> list[Placed]:
    """Return the nearest of passages that somebody else named: permitted ones of these bases only."""
    if not chunk_ids:
        return []
    near, values = _near(where, query, base_ids)
    return _nearest(f"{near} AND embedding.chunk_id = ANY(%s)", [*values, list(chunk_ids)], limit)


def place_uncopied(
    where: Searched, query: QueryVector, *, store_id: UUID, base_ids: Sequence[UUID], limit: int
) -> list[Placed]:
    """Search the vectors that an outside store does not have yet."""
    near, values = _near(where, query, base_ids)
    return _nearest(
        f"{near} AND NOT EXISTS (SELECT FROM knowledge_storedvector AS copy"
        " WHERE copy.store_id = %s AND copy.base_id = embedding.base_id"
        " AND copy.embedding_id = embedding.id)",
        [*values, store_id],
        limit,
    )


def hits_of(query: QueryVector, placed: Sequence[Placed]) -> list[DenseHit]:
    """Return hits with their ranks."""
    return [
        DenseHit(chunk_id=chunk_id, identity=query.identity, score=1.0 - distance, rank=rank)
        for rank, (distance, _document_id, _position, chunk_id) in enumerate(placed, 1)
    ]


def scores_of(query: QueryVector, chunk_ids: Sequence[UUID]) -> dict[UUID, float]:
    """Return the cosines of chosen passages; those without a vector of this model are left out."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT embedding.chunk_id, {_distance(query.dimensions)}"  # noqa: S608  a whole number
            " FROM knowledge_embedding AS embedding"
            " WHERE embedding.identity = %s AND embedding.dimensions = %s"
            " AND embedding.chunk_id = ANY(%s)",
            [_text(query), query.identity, query.dimensions, list(chunk_ids)],
        )
        return {chunk_id: 1.0 - distance for chunk_id, distance in cursor.fetchall()}


def _near(where: Searched, query: QueryVector, base_ids: Sequence[UUID]) -> tuple[str, list[Any]]:
    """Return a query of permitted passages with their distance, and its values."""
    permitted, params = where.permitted_sql()
    near = f"""
        SELECT permitted.*, {_distance(query.dimensions)} AS distance
          FROM knowledge_embedding AS embedding
          JOIN ({permitted}) AS permitted ON permitted.id = embedding.chunk_id
         WHERE embedding.base_id = ANY(%s) AND embedding.identity = %s
           AND embedding.dimensions = {query.dimensions}"""  # noqa: S608  compiled by Django
    return near, [_text(query), *params, list(base_ids), query.identity]


def _nearest(near: str, values: Sequence[Any], limit: int) -> list[Placed]:
    """Sort what `near` yields, apart from the approximate index.

    MATERIALIZED keeps that index away from exact search. The sum hides from the planner that rows
    of the index come in about the right order: it would rely on it and stop early.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH near AS MATERIALIZED ({near})"  # noqa: S608  made here
            " SELECT distance, document_id, position, id FROM near"
            " ORDER BY distance + 0, document_id, position LIMIT %s",
            [*values, limit],
        )
        return list(cursor.fetchall())


def _distance(dimensions: int) -> str:
    """Return the expression that the index of this length is built on."""
    return f"(embedding.vector::halfvec({dimensions})) <=> %s::halfvec({dimensions})"


def _text(query: QueryVector) -> str:
    return HalfVector(query.vector).to_text()
