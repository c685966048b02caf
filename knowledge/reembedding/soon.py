"""Sees to it that passages embedded just now get the vectors of the other model, too."""

from __future__ import annotations

from uuid import UUID

from core.jobs.enqueue import enqueue
from knowledge.jobs import REEMBED_BASE
from knowledge.models import KnowledgeBase
from knowledge.reembedding.queries import open_change


def begin_catching_up(base_id: UUID, *, delay_seconds: float = 0.0) -> None:
    """Enqueue the job of a base, unless one waits already."""
    enqueue(
        REEMBED_BASE,
        dedupe_key=str(base_id),
        delay_seconds=delay_seconds,
        base_id=str(base_id),
    )


def catch_up_soon(base_id: UUID, *, embedded_with: str) -> None:
    """Enqueue the job where vectors of one model are not all that a base needs.

    To be called by whoever has embedded passages, with the identity used: during a change the other
    model's vectors are missing; after a switch that nobody waited for, the live model's are.
    """
    live = KnowledgeBase.objects.filter(pk=base_id).values_list("embedding_identity", flat=True)
    switched = next(iter(live), "") not in ("", embedded_with)
    if switched or open_change(base_id) is not None:
        begin_catching_up(base_id)
