"""Vector stores for tests."""

from __future__ import annotations

from itertools import count
from typing import Any

from accounts.models import Space
from core.tenancy import space_scope
from knowledge.constants import StoreKind
from knowledge.models import VectorStore

_numbers = count(1)


def make_store(space: Space, **fields: Any) -> VectorStore:
    """Make the row of a store that nobody answers behind."""
    fields.setdefault("name", f"Store {next(_numbers)}")
    fields.setdefault("kind", StoreKind.OPENSEARCH)
    fields.setdefault("address", "http://127.0.0.1:9")
    fields.setdefault("options", {"search_seconds": 1.0, "write_seconds": 1.0})
    with space_scope(space.pk):
        return VectorStore.objects.create(space=space, **fields)
