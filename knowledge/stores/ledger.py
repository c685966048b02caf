"""What a store has and should have, in rows: what is missing, what is one too many.

Nothing is announced from place to place: passages, documents and bases may go by any way, also by a
cascade, and the difference of two tables says what is to be done. So a worker that is killed loses
nothing, and a store that was away for a day catches up by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from core.errors import NoSpaceScope
from core.tenancy import current_space_id
from knowledge.constants import OPEN_MOVES
from knowledge.models import Embedding, KnowledgeBase, StoredVector, StoreMove, VectorStore
from knowledge.stores.contract import Collection


@dataclass(frozen=True, kw_only=True)
class Lag:
    """How far a store is behind PostgreSQL for one base."""

    missing: int
    """Vectors that it does not have yet."""
    superfluous: int
    """Vectors that it still has."""

    @property
    def total(self) -> int:
        """Writes that are due."""
        return self.missing + self.superfluous


def stores_of(base: KnowledgeBase) -> list[VectorStore]:
    """Return the stores that are to have the base's vectors: its own, and those of an open move."""
    wanted = {base.vector_store_id}
    for move in StoreMove.objects.filter(base=base, state__in=OPEN_MOVES):
        wanted |= {move.from_store_id, move.to_store_id}
    return list(VectorStore.objects.filter(pk__in=[each for each in wanted if each]).order_by("pk"))


def missing_in(store_id: UUID, base_id: UUID) -> QuerySet[Embedding]:
    """Return the base's vectors that the store does not have."""
    copies = StoredVector.objects.filter(
        store_id=store_id, base_id=base_id, embedding_id=OuterRef("pk")
    )
    return Embedding.objects.filter(~Exists(copies), base_id=base_id)


def superfluous_in(store_id: UUID, base_id: UUID) -> QuerySet[StoredVector]:
    """Return what the store has of the base and should not have (any more)."""
    rows = Embedding.objects.filter(pk=OuterRef("embedding_id"), base_id=base_id)
    return StoredVector.objects.filter(~Exists(rows), store_id=store_id, base_id=base_id)


def superseded(rows: Sequence[StoredVector]) -> set[UUID]:
    """Return the passages among `rows` of which the store has a newer vector: only the row goes."""
    if not rows:
        return set()
    first = rows[0]
    live = Embedding.objects.filter(pk=OuterRef("embedding_id"), base_id=first.base_id)
    same = StoredVector.objects.filter(
        Exists(live),
        store_id=first.store_id,
        base_id=first.base_id,
        identity=first.identity,
        chunk_id__in=[row.chunk_id for row in rows],
    )
    return set(same.values_list("chunk_id", flat=True))


def lag_of(store_id: UUID, base_id: UUID) -> Lag:
    """Count what is due."""
    return Lag(
        missing=missing_in(store_id, base_id).count(),
        superfluous=superfluous_in(store_id, base_id).count(),
    )


def collections_of(store: VectorStore, *, base_id: UUID | None = None) -> list[Collection]:
    """Return the collections that the store has vectors in."""
    rows = StoredVector.objects.filter(store=store)
    if base_id is not None:
        rows = rows.filter(base_id=base_id)
    pairs = rows.order_by().values_list("identity", "dimensions").distinct()
    return [
        Collection(owner=store.pk, identity=identity, dimensions=dimensions)
        for identity, dimensions in sorted(pairs)
    ]


def stores_with_copies(base_id: UUID) -> list[VectorStore]:
    """Return the stores that have vectors of a base, which may be gone."""
    ids = StoredVector.objects.filter(base_id=base_id).order_by().values("store_id")
    return list(VectorStore.objects.filter(pk__in=ids).order_by("pk"))


def bases_behind() -> list[UUID]:
    """Return the bases of the open space for which a store is behind, or has what it should not.

    One statement over the two tables: bases without a store are not looked at.
    """
    with connection.cursor() as cursor:
        cursor.execute(_BEHIND, {"space": _space_id(), "open": list(OPEN_MOVES)})
        return [row[0] for row in cursor.fetchall()]


_BEHIND = """
WITH wanted AS (
    SELECT id AS base_id, vector_store_id AS store_id FROM knowledge_knowledgebase
     WHERE space_id = %(space)s AND vector_store_id IS NOT NULL
    UNION
    SELECT base_id, unnest(ARRAY[from_store_id, to_store_id]) FROM knowledge_storemove
     WHERE space_id = %(space)s AND state = ANY(%(open)s)
)
SELECT base_id FROM wanted WHERE store_id IS NOT NULL AND EXISTS (
    SELECT FROM knowledge_embedding AS e WHERE e.base_id = wanted.base_id AND NOT EXISTS (
        SELECT FROM knowledge_storedvector AS s
         WHERE s.store_id = wanted.store_id AND s.base_id = e.base_id AND s.embedding_id = e.id))
UNION
SELECT s.base_id FROM knowledge_storedvector AS s
 WHERE s.space_id = %(space)s AND (
    NOT EXISTS (SELECT FROM wanted
                 WHERE wanted.base_id = s.base_id AND wanted.store_id = s.store_id)
    OR NOT EXISTS (SELECT FROM knowledge_embedding AS e
                    WHERE e.id = s.embedding_id AND e.base_id = s.base_id))
"""


def _space_id() -> int:
    space_id = current_space_id()
    if space_id is None:
        raise NoSpaceScope("bases behind their store are looked for in one space")
    return space_id
