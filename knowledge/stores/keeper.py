"""No store stays behind: once a minute each space that has one is looked at, and old moves end."""

from __future__ import annotations

from django.core.cache import cache
from django.utils import timezone

from core.jobs.housekeeping import register_keeper
from core.jobs.standing import has_job
from core.tenancy import space_scope, unscoped
from knowledge.constants import StoreMoveState
from knowledge.jobs import SYNC_STORES
from knowledge.models import StoreMove, VectorStore
from knowledge.stores.ledger import bases_behind
from knowledge.stores.moves import finish_old_move
from knowledge.stores.soon import begin_syncing

EVERY_SECONDS = 60
_KEY = "knowledge:stores"


def keep_stores() -> None:
    """Look at what may need a job; housekeeping asks more often."""
    if cache.add(_KEY, 1, timeout=EVERY_SECONDS):
        heal_stores()
        end_old_moves()


def heal_stores() -> int:
    """Enqueue the job of each base whose store is behind; return how many were enqueued."""
    with unscoped(reason="spaces with an outside vector store are looked for"):
        spaces = list(VectorStore.objects.order_by().values_list("space_id", flat=True).distinct())
    begun = 0
    for space_id in spaces:
        with space_scope(space_id):
            for base_id in bases_behind():
                if not has_job(SYNC_STORES, dedupe_key=str(base_id)):
                    begin_syncing(base_id)
                    begun += 1
    return begun


def end_old_moves() -> None:
    """Finish what nobody undid in time."""
    with unscoped(reason="live moves of all spaces are looked through"):
        due = StoreMove.objects.filter(state=StoreMoveState.LIVE, kept_until__lt=timezone.now())
        rows = list(due.values_list("space_id", "pk"))
    for space_id, move_id in rows:
        with space_scope(space_id):
            finish_old_move(move_id)


register_keeper(keep_stores)
