"""Reads of changes, and of the passages that lack a vector."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet

from knowledge.constants import OPEN_CHANGES, ChunkKind
from knowledge.models import Chunk, EmbeddingChange


def open_change(base_id: UUID) -> EmbeddingChange | None:
    """Return the change of a base that goes on; it asks nobody."""
    rows = EmbeddingChange.objects.filter(base_id=base_id, state__in=OPEN_CHANGES)
    return rows.select_related("base", "from_model", "to_model").first()


def latest_change(base_id: UUID) -> EmbeddingChange | None:
    """Return the change of a base that was begun last, ended or not; it asks nobody."""
    rows = EmbeddingChange.objects.filter(base_id=base_id).order_by("-created_at")
    return rows.select_related("base", "from_model", "to_model", "author").first()


def compared_passages(base_id: UUID) -> QuerySet[Chunk]:
    """Return the passages of a base that are, or may come back to be, compared with questions.

    Those switched off and those in the trash are among them: both come back by a click, and must
    be found then. What was not indexed yet is not: its reading embeds it.
    """
    rows = Chunk.objects.filter(base_id=base_id, document__searchable_at__isnull=False)
    return rows.exclude(kind=ChunkKind.PARENT)


def passages_without(base_id: UUID, identity: str) -> QuerySet[Chunk]:
    """Return those of the compared passages that have no vector of this identity."""
    return compared_passages(base_id).exclude(embeddings__identity=identity)
