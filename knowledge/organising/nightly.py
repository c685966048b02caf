"""Once a day the trash of every space loses what has been in it for long enough."""

from __future__ import annotations

from django.core.cache import cache

from core.jobs.enqueue import enqueue
from core.jobs.housekeeping import register_keeper
from core.tenancy import space_scope, unscoped
from knowledge.models import Document
from knowledge.organising.jobs import EMPTY_TRASH
from knowledge.organising.trash import trash_limit

HOUR_SECONDS = 3600
_DONE_KEY = "knowledge:trash"


def begin_emptying() -> None:
    """Enqueue the job, once an hour; housekeeping asks every few seconds."""
    if not cache.add(_DONE_KEY, 1, timeout=HOUR_SECONDS):
        return
    for space_id in _spaces_with_old_trash():
        with space_scope(space_id):
            enqueue(EMPTY_TRASH, dedupe_key=str(space_id))


def _spaces_with_old_trash() -> list[int]:
    with unscoped(reason="the trash of all spaces is emptied"):
        rows = Document.objects.filter(trashed_at__lt=trash_limit()).order_by()
        return list(rows.values_list("space_id", flat=True).distinct())


register_keeper(begin_emptying)
