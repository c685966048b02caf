"""How many searches could not be recorded: a page about the records says so."""

from __future__ import annotations

from django.core.cache import cache

_KEPT_SECONDS = 24 * 3600


def count_loss(space_id: int) -> None:
    """Count one more of the space."""
    key = _key(space_id)
    if not cache.add(key, 1, timeout=_KEPT_SECONDS):
        cache.incr(key)


def losses(space_id: int) -> int:
    """Return how many of the space were lost in the last day."""
    return int(cache.get(_key(space_id), 0))


def _key(space_id: int) -> str:
    return f"knowledge:unrecorded-searches:{space_id}"
