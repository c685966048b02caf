"""Removes the vectors that an ended change left over, a batch at a time."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from core.jobs.handlers import JobContext
from knowledge.constants import OPEN_CHANGES
from knowledge.ingest.index import lock_base
from knowledge.models import Embedding, EmbeddingChange, KnowledgeBase
from knowledge.reembedding.queries import open_change

_AT_ONCE = 2_000


def forget_vectors(context: JobContext, *, change_id: UUID) -> int:
    """Remove the vectors of the model that a change's base does not compare; return how many.

    Vectors that are compared, or that a later change builds on, stay: it is asked again under the
    base's lock before each batch.

    Raises:
        JobCancelled: it was stopped, or another worker has the job.
    """
    change = EmbeddingChange.objects.filter(pk=change_id, forgotten_at__isnull=True).first()
    if change is None or change.state in OPEN_CHANGES:
        return 0
    removed = 0
    while batch := _forget_some(context, change):
        removed += batch
    EmbeddingChange.objects.filter(pk=change.pk).update(forgotten_at=timezone.now())
    return removed


def _forget_some(context: JobContext, change: EmbeddingChange) -> int:
    with transaction.atomic():
        context.check_lease()
        lock_base(change.base_id)
        if change.other_identity in identities_in_use(change.base_id):
            return 0
        rows = Embedding.objects.filter(base_id=change.base_id, identity=change.other_identity)
        ids = list(rows.values_list("pk", flat=True)[:_AT_ONCE])
        return Embedding.objects.filter(pk__in=ids).delete()[0] if ids else 0


def identities_in_use(base_id: UUID) -> set[str]:
    """Return the identities whose vectors a base needs: the compared one, and a change's two."""
    live = KnowledgeBase.objects.filter(pk=base_id).values_list("embedding_identity", flat=True)
    change = open_change(base_id)
    return {*live, *((change.from_identity, change.to_identity) if change else ())} - {""}
