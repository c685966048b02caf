"""No change stands still, and no passage stays without a vector of the model that its base compares.

Once a minute open changes are looked at, and bases that were switched within the last day; once an
hour every base. What lacks a vector and has no job gets one.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.core.cache import cache
from django.db.models import QuerySet
from django.utils import timezone

from core.jobs.enqueue import enqueue
from core.jobs.housekeeping import register_keeper
from core.jobs.standing import has_job
from core.tenancy import space_scope, unscoped
from knowledge.constants import OPEN_CHANGES, EmbeddingChangeState
from knowledge.jobs import FORGET_VECTORS, REEMBED_BASE
from knowledge.models import EmbeddingChange, KnowledgeBase
from knowledge.reembedding.queries import passages_without
from knowledge.reembedding.services import finish_change
from knowledge.reembedding.soon import begin_catching_up

EVERY_SECONDS = 60
ALL_EVERY_SECONDS = 3600
_LATELY = timedelta(days=1)
_KEY, _ALL_KEY = "knowledge:reembedding", "knowledge:reembedding-all"


def keep_changes() -> None:
    """Look at what may need a job; housekeeping asks more often."""
    if cache.add(_KEY, 1, timeout=EVERY_SECONDS):
        heal_changes()
        end_old_changes()
    if cache.add(_ALL_KEY, 1, timeout=ALL_EVERY_SECONDS):
        heal_bases(_all_bases())


def heal_changes() -> None:
    """Give open changes, and bases that were switched lately, the job that they lack."""
    with unscoped(reason="open changes of all spaces are looked through"):
        open_ones = list(EmbeddingChange.objects.filter(state__in=OPEN_CHANGES))
        lately = EmbeddingChange.objects.filter(switched_at__gt=timezone.now() - _LATELY)
        switched = list(lately.values_list("space_id", "base_id").distinct())
    for change in open_ones:
        with space_scope(change.space_id):
            if has_job(REEMBED_BASE, dedupe_key=str(change.base_id)):
                continue
            is_building = change.state == EmbeddingChangeState.BUILDING or change.wants_switch
            if is_building or passages_without(change.base_id, change.other_identity).exists():
                begin_catching_up(change.base_id)
    heal_bases(switched)


def heal_bases(bases: list[tuple[int, UUID]]) -> int:
    """Enqueue the job of each base with a passage that it cannot compare; return how many there were."""
    healed = 0
    for space_id, base_id in bases:
        with space_scope(space_id):
            base = KnowledgeBase.objects.filter(pk=base_id, deleted_at__isnull=True).first()
            if base is None or not base.embedding_identity:
                continue
            if passages_without(base_id, base.embedding_identity).exists():
                begin_catching_up(base_id)
                healed += 1
    return healed


def end_old_changes() -> None:
    """Finish what nobody undid in time, and have left-over vectors removed."""
    with unscoped(reason="ended changes of all spaces are looked through"):
        due = EmbeddingChange.objects.filter(kept_until__lt=timezone.now())
        live = _pairs(due.filter(state=EmbeddingChangeState.LIVE))
        ended = due.exclude(state__in=OPEN_CHANGES).filter(forgotten_at__isnull=True)
        over = _pairs(ended)
    for space_id, change_id in live:
        with space_scope(space_id):
            finish_change(change_id)
    for space_id, change_id in over:
        with space_scope(space_id):
            enqueue(FORGET_VECTORS, dedupe_key=str(change_id), change_id=str(change_id))


def _pairs(rows: QuerySet[EmbeddingChange]) -> list[tuple[int, UUID]]:
    return list(rows.values_list("space_id", "pk"))


def _all_bases() -> list[tuple[int, UUID]]:
    with unscoped(reason="bases of all spaces are looked through"):
        rows = KnowledgeBase.objects.filter(deleted_at__isnull=True).exclude(embedding_identity="")
        return list(rows.values_list("space_id", "pk"))


register_keeper(keep_changes)
