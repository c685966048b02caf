"""By what the same finding is known again, so that it stays one issue."""

from __future__ import annotations

from uuid import UUID

from wiki.values import hash_of


def fingerprint_of(page_id: UUID, kind: str, key: str) -> str:
    """Return the name of what is wrong: `key` tells it from others of its kind on the page."""
    return hash_of(f"{page_id}\n{kind}\n{' '.join(key.split()).casefold()}")
