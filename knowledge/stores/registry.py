"""Which adapter speaks to which kind of store, and the open ones of this process."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _

from core.errors import Conflict
from core.secrets import LostSecret
from knowledge.constants import StoreKind
from knowledge.models import VectorStore
from knowledge.stores.connection import Connection
from knowledge.stores.contract import Store
from knowledge.stores.milvus import MilvusStore
from knowledge.stores.opensearch import OpenSearchStore
from knowledge.stores.options import read_options
from knowledge.stores.qdrant import QdrantStore

_adapters: dict[StoreKind, Callable[[Connection], Store]] = {
    StoreKind.QDRANT: QdrantStore,
    StoreKind.MILVUS: MilvusStore,
    StoreKind.OPENSEARCH: OpenSearchStore,
}
_open: dict[tuple[int, UUID], tuple[datetime | None, Store]] = {}
_lock = threading.Lock()


def make_store(row: VectorStore) -> Store:
    """Return a new adapter for a row, saved or not; the caller closes it.

    Raises:
        Invalid: its client library is not installed.
        Conflict: the stored secret can't be read with the configured keys.
    """
    return _adapters[StoreKind(row.kind)](connection_of(row))


def open_store(row: VectorStore) -> Store:
    """Return this process's adapter for a saved row, made again when the row changed.

    Raises: as `make_store`.
    """
    key = (os.getpid(), row.pk)  # connections do not survive a fork
    with _lock:
        known = _open.get(key)
        if known is not None and known[0] == row.updated_at:
            return known[1]
        made = make_store(row)
        _open[key] = (row.updated_at, made)
    if known is not None:
        known[1].close()
    return made


def connection_of(row: VectorStore) -> Connection:
    """Return what opens a store.

    Raises:
        Conflict: the stored secret can't be read with the configured keys.
    """
    if isinstance(row.api_key, LostSecret):
        raise Conflict(
            _("The key of “%(name)s” cannot be read; an admin has to enter it again.")
            % {"name": row.name}
        )
    return Connection(
        owner=row.pk,
        name=row.name,
        address=row.address,
        user_name=row.user_name,
        api_key=row.api_key,
        options=read_options(row.options),
    )
