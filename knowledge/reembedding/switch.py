"""The switch: from one moment to the next a base compares vectors of the other model.

Cutting over and undoing are the same act in two directions. Nothing is copied and nobody waits: one
row changes, under the lock that also those take who make passages searchable. So no passage can be
published between the look for missing vectors and the switch.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.access import Actor
from accounts.actors import system_actor
from accounts.services.audit import record_audit
from knowledge.constants import EmbeddingChangeState
from knowledge.ingest.index import lock_base
from knowledge.models import EmbeddingChange, KnowledgeBase
from knowledge.reembedding.queries import passages_without

BEFORE_SWITCH = (EmbeddingChangeState.READY, EmbeddingChangeState.LIVE)


def kept_for() -> timedelta:
    """Return how long vectors that are not compared any more are kept for an undo."""
    return timedelta(days=settings.EMBEDDINGS_KEPT_DAYS)


def switch_now(change_id: UUID, *, actor: Actor | None = None) -> bool:
    """Let the base compare vectors of the change's other model; say whether it does now.

    False: passages still lack such a vector, or the change is not waiting for it (any more). A
    passage that is searchable never loses its place: the vectors of both models stay.

    Args:
        change_id: the change.
        actor: who asks, for the audit log; None: the job, which does what a person asked before.
    """
    with transaction.atomic():
        base_id = EmbeddingChange.objects.values_list("base_id", flat=True).get(pk=change_id)
        lock_base(base_id)
        row = EmbeddingChange.objects.select_for_update(of=("self",)).get(pk=change_id)
        if row.state not in BEFORE_SWITCH:
            return False
        if passages_without(base_id, row.other_identity).exists():
            return False
        goes_live = row.state == EmbeddingChangeState.READY
        KnowledgeBase.objects.filter(pk=base_id).update(
            embedding_model_id=row.to_model_id if goes_live else row.from_model_id,
            embedding_identity=row.other_identity,
            updated_at=timezone.now(),
        )
        row.wants_switch, row.reason, row.switched_at = False, "", timezone.now()
        if goes_live:
            row.state = EmbeddingChangeState.LIVE
            row.kept_until = timezone.now() + kept_for()
        else:
            end(row, EmbeddingChangeState.UNDONE, keep=kept_for())
        row.save()
        _audit(row, actor, goes_live=goes_live)
    return True


def end(row: EmbeddingChange, state: EmbeddingChangeState, *, keep: timedelta) -> None:
    """Give an ended change its last values; the caller saves it."""
    row.state = state
    row.wants_switch = False
    row.ended_at = timezone.now()
    row.kept_until = row.ended_at + keep
    row.from_model = row.to_model = None


def _audit(row: EmbeddingChange, actor: Actor | None, *, goes_live: bool) -> None:
    record_audit(
        actor or system_actor(space_id=row.space_id),
        "base.embedding_cut_over" if goes_live else "base.embedding_undo",
        target=row.base,
        base_id=row.base_id,
        old=row.from_name if goes_live else row.to_name,
        new=row.to_name if goes_live else row.from_name,
    )
