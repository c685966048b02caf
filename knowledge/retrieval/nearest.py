"""The nearest passages by meaning, whichever store the bases' vectors are asked in.

A base without an outside store is searched in PostgreSQL as ever. A store only names passages: which
of them may be seen, are of its bases, and how near they are, PostgreSQL says about every id. Where too
many are filtered out, more are asked for; where a store has no more, or does not answer, PostgreSQL,
which has all vectors, is searched instead.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.core.cache import cache
from django.utils.translation import gettext as _

from core.errors import ProjectError
from core.jobs.standing import has_job
from knowledge.jobs import SYNC_STORES
from knowledge.models import VectorStore
from knowledge.retrieval.dense import (
    DenseHit,
    Placed,
    QueryVector,
    hits_of,
    place_among,
    place_uncopied,
    search_dense,
    search_placed,
)
from knowledge.retrieval.scope import Searched
from knowledge.stores.contract import Collection
from knowledge.stores.registry import open_store

AT_FIRST = 3
"""Times the limit: what is hidden from the actor costs no second request."""
MORE = 4
ROUNDS = 3
MOST_DOCUMENTS = 200
"""So many are named to a store; a larger choice is filtered here."""
PAUSE_SECONDS = 30
"""After a failure a store is not asked for so long: not every question waits for it."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Nearest:
    """What is near, and what went wrong on the way."""

    hits: list[DenseHit]
    warnings: tuple[str, ...] = ()


def find_nearest(where: Searched, query: QueryVector, *, limit: int, exact: bool) -> Nearest:
    """Return the passages nearest to `query`, nearest first; ties by document and position."""
    outside = [base for base in where.bases if base.vector_store_id]
    if not outside:
        return Nearest(hits=search_dense(where, query, limit=limit, exact=exact))
    here = [base.pk for base in where.bases if not base.vector_store_id]
    by_store: dict[UUID, list[UUID]] = defaultdict(list)
    rows: dict[UUID, VectorStore] = {}
    for base in outside:
        if base.vector_store is not None:
            by_store[base.vector_store.pk].append(base.pk)
            rows[base.vector_store.pk] = base.vector_store
    placed: list[Placed] = []
    warnings: list[str] = []
    for store_id, base_ids in by_store.items():
        row = rows[store_id]
        found = _ask(row, where, query, base_ids, limit=limit)
        if found is None:
            here += base_ids
        elif isinstance(found, str):
            here += base_ids
            warnings.append(found)
        else:
            placed += found
    if here:
        placed += search_placed(where, query, limit=limit, exact=exact, base_ids=here)
    return Nearest(hits=hits_of(query, sorted(set(placed))[:limit]), warnings=tuple(warnings))


def _ask(
    row: VectorStore, where: Searched, query: QueryVector, base_ids: Sequence[UUID], *, limit: int
) -> list[Placed] | str | None:
    """Return what a store names and may be seen; a warning where it failed; None where it cannot say."""
    key = f"knowledge:store-away:{row.pk}:{row.updated_at.timestamp()}"
    warning = _(
        "The vector store “%(name)s” does not answer; PostgreSQL was searched in its place."
    ) % {"name": row.name}
    if cache.get(key):
        return warning
    try:
        return _named(row, where, query, base_ids, limit=limit)
    except ProjectError as failure:
        logger.warning("Vector store %s: %s", row.pk, failure.message)
        cache.set(key, 1, timeout=PAUSE_SECONDS)
        return warning


def _named(
    row: VectorStore, where: Searched, query: QueryVector, base_ids: Sequence[UUID], *, limit: int
) -> list[Placed] | None:
    store = open_store(row)
    collection = Collection(owner=row.pk, identity=query.identity, dimensions=query.dimensions)
    documents = _few_documents(where)
    asked = limit * AT_FIRST
    for _round in range(ROUNDS):
        near = store.search(
            collection,
            query.vector,
            limit=asked,
            base_ids=base_ids,
            document_ids=documents,
        )
        ids = [each.chunk_id for each in near]
        found = place_among(where, query, ids, base_ids=base_ids, limit=limit)
        if len(found) >= limit or len(near) < asked:
            return found + _not_there_yet(row, where, query, base_ids, limit=limit)
        asked *= MORE
    return None


def _not_there_yet(
    row: VectorStore, where: Searched, query: QueryVector, base_ids: Sequence[UUID], *, limit: int
) -> list[Placed]:
    """Search what a store is still to get; while no job of it waits, there is nothing."""
    behind = [each for each in base_ids if has_job(SYNC_STORES, dedupe_key=str(each))]
    if not behind:
        return []
    return place_uncopied(where, query, store_id=row.pk, base_ids=behind, limit=limit)


def _few_documents(where: Searched) -> list[UUID] | None:
    """Return the documents that a narrow search is about; None: a store need not know."""
    if where.document_chunks is None:
        return None
    rows = where.chunks.order_by().values_list("document_id", flat=True).distinct()
    found = list(rows[: MOST_DOCUMENTS + 1])
    return found if len(found) <= MOST_DOCUMENTS else None
