"""The job that brings the outside stores of a base to what PostgreSQL has, and ends a filling.

In each store what is one too many goes first, then comes what is missing; a row is written (or
removed) only after the store did it. All of it may be done twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar
from uuid import UUID

from django.utils import timezone

from core.jobs.handlers import JobContext
from core.jobs.standing import runs_elsewhere
from knowledge.jobs import SYNC_STORES
from knowledge.models import Embedding, KnowledgeBase, StoredVector, VectorStore
from knowledge.stores.contract import Collection, Point, Store, StoreFailed
from knowledge.stores.ledger import (
    missing_in,
    stores_of,
    stores_with_copies,
    superfluous_in,
    superseded,
)
from knowledge.stores.moves import settle, tell_progress
from knowledge.stores.registry import open_store
from knowledge.stores.soon import begin_syncing

BATCH = 256
"""Vectors a write: about a megabyte."""
SLICE_SECONDS = 600.0
"""After so long the job makes room for others of its queue; another one goes on."""
PAUSE_SECONDS = 10.0
_Row = TypeVar("_Row", Embedding, StoredVector)


def sync_base(context: JobContext, *, base_id: UUID) -> None:
    """Write and remove what is due in every store of a base, which may be gone by now.

    Raises:
        JobCancelled: it was stopped, or another worker has the job.
        StoreFailed: a store did not do it; all stores were tried.
        ProjectError: a library is missing, or a key cannot be read.
    """
    if runs_elsewhere(SYNC_STORES, dedupe_key=str(base_id), but=context.job_id):
        begin_syncing(base_id, delay_seconds=PAUSE_SECONDS)
        return
    base = KnowledgeBase.objects.filter(pk=base_id, deleted_at__isnull=True).first()
    wanted = stores_of(base) if base else []
    ends = time.monotonic() + SLICE_SECONDS
    failure: StoreFailed | None = None
    for row in stores_with_copies(base_id):
        if row not in wanted:
            failure = _tried(context, row, base_id, ends=ends, is_wanted=False) or failure
    for row in wanted:
        failure = _tried(context, row, base_id, ends=ends, is_wanted=True) or failure
    if failure is not None:
        raise failure
    if time.monotonic() > ends:
        begin_syncing(base_id)
    elif base is not None and not settle(base.pk):
        begin_syncing(base_id, delay_seconds=PAUSE_SECONDS)


def _tried(
    context: JobContext, row: VectorStore, base_id: UUID, *, ends: float, is_wanted: bool
) -> StoreFailed | None:
    """Bring one store up to date; a failure is written down and returned: others go on."""
    try:
        _sync(context, row, base_id, ends=ends, is_wanted=is_wanted)
    except StoreFailed as failure:
        write_down(row, failure.message)
        return failure
    write_down(row, "")
    return None


def write_down(row: VectorStore, problem: str) -> None:
    """Keep whether a store answered; the list of stores shows it. Does not count as a change."""
    VectorStore.objects.filter(pk=row.pk).update(checked_at=timezone.now(), problem=problem)


def _sync(
    context: JobContext, row: VectorStore, base_id: UUID, *, ends: float, is_wanted: bool
) -> None:
    store = open_store(row)
    if not is_wanted:
        _purge(store, row, base_id)
        return
    while due := list(superfluous_in(row.pk, base_id).order_by("identity", "pk")[:BATCH]):
        context.check_lease()
        _remove(store, row, due)
        if time.monotonic() > ends:
            return
    while batch := _next_missing(row, base_id):
        context.check_lease()
        _write(store, row, batch)
        tell_progress(base_id, row.pk)
        if time.monotonic() > ends:
            return


def _purge(store: Store, row: VectorStore, base_id: UUID) -> None:
    """Remove all of a base from a store that is not to have it (any more)."""
    copies = StoredVector.objects.filter(store=row, base_id=base_id)
    for collection, _rows in _by_collection(row, copies.order_by("identity", "dimensions")):
        store.delete(collection, base_id=base_id)
    copies.delete()


def _remove(store: Store, row: VectorStore, due: Sequence[StoredVector]) -> None:
    for collection, rows in _by_collection(row, due):
        newer = superseded(rows)
        gone = [each.chunk_id for each in rows if each.chunk_id not in newer]
        store.delete(collection, base_id=rows[0].base_id, chunk_ids=gone)
        StoredVector.objects.filter(pk__in=[each.pk for each in rows]).delete()


def _next_missing(row: VectorStore, base_id: UUID) -> list[Embedding]:
    rows = missing_in(row.pk, base_id).select_related("chunk").order_by("pk")
    return list(rows[:BATCH])


def _write(store: Store, row: VectorStore, batch: Sequence[Embedding]) -> None:
    ordered = sorted(batch, key=_kind)
    for collection, rows in _by_collection(row, ordered):
        store.ensure(collection)
        store.upsert(collection, [_point(each) for each in rows])
        StoredVector.objects.bulk_create(
            [
                StoredVector(
                    space_id=each.space_id,
                    store=row,
                    base_id=each.base_id,
                    embedding_id=each.pk,
                    chunk_id=each.chunk_id,
                    identity=each.identity,
                    dimensions=each.dimensions,
                )
                for each in rows
            ],
            ignore_conflicts=True,
        )


def _point(row: Embedding) -> Point:
    return Point(
        chunk_id=row.chunk_id,
        base_id=row.base_id,
        document_id=row.chunk.document_id,
        vector=row.vector.to_numpy() if hasattr(row.vector, "to_numpy") else row.vector,
    )


def _by_collection(
    store: VectorStore, rows: Iterable[_Row]
) -> Iterator[tuple[Collection, list[_Row]]]:
    for (identity, dimensions), same in groupby(rows, key=_kind):
        collection = Collection(owner=store.pk, identity=identity, dimensions=dimensions)
        yield collection, list(same)


def _kind(row: Embedding | StoredVector) -> tuple[str, int]:
    return row.identity, row.dimensions
