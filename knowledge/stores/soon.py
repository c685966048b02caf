"""Sees to it that outside stores hear of what was embedded or removed just now."""

from __future__ import annotations

from uuid import UUID

from core.jobs.enqueue import enqueue
from knowledge.jobs import SYNC_STORES
from knowledge.models import KnowledgeBase, StoredVector


def begin_syncing(base_id: UUID, *, delay_seconds: float = 0.0) -> None:
    """Enqueue the job of a base, unless one waits already."""
    enqueue(SYNC_STORES, dedupe_key=str(base_id), delay_seconds=delay_seconds, base_id=str(base_id))


def sync_soon(base_id: UUID) -> None:
    """Enqueue the job where a base has, or had, an outside store; nothing where PostgreSQL is all."""
    rows = KnowledgeBase.objects.filter(pk=base_id)
    if (
        rows.filter(vector_store__isnull=False).exists()
        or rows.filter(store_moves__ended_at__isnull=True, store_moves__isnull=False).exists()
        or StoredVector.objects.filter(base_id=base_id).exists()
    ):
        begin_syncing(base_id)
