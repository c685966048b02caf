"""Removes what a space has in outside stores, before its rows go."""

from __future__ import annotations

import logging

from core.errors import ProjectError
from knowledge.models import StoredVector, VectorStore
from knowledge.stores.ledger import collections_of
from knowledge.stores.registry import make_store

logger = logging.getLogger(__name__)


def drop_everything(space_id: int) -> dict[str, int]:
    """Drop the space's collections in every store; return what became of its vectors.

    A server that is gone must not keep a space from being erased: what stays on it is counted, for
    the report of the erasure.
    """
    removed = left = 0
    for row in VectorStore.objects.filter(space_id=space_id):
        copies = StoredVector.objects.filter(store=row).count()
        try:
            store = make_store(row)
            try:
                for collection in collections_of(row):
                    store.drop(collection)
            finally:
                store.close()
        except ProjectError as failure:
            logger.warning("Vectors stay in store %s: %s", row.pk, failure.message)
            left += copies
        else:
            removed += copies
    counts = {"vectors in outside stores": removed, "vectors left in outside stores": left}
    return {name: count for name, count in counts.items() if count}
