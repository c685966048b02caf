"""Once a day, records of searches whose time is over are gone."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from core.jobs.enqueue import enqueue
from core.jobs.housekeeping import register_keeper
from core.tenancy import space_scope, unscoped
from knowledge.models import SearchRecord
from knowledge.searches.jobs import FORGET_SEARCHES

DAY_SECONDS = 24 * 3600
_DONE_KEY = "knowledge:searches"


def forget_old_searches() -> int:
    """Remove them from the current space; returns how many."""
    return SearchRecord.objects.filter(created_at__lt=record_limit()).delete()[0]


def record_limit() -> datetime:
    """Return since when a record must be there to go now."""
    return timezone.now() - timedelta(days=settings.SEARCH_DAYS)


def begin_forgetting() -> None:
    """Enqueue the job in each space that has old records; housekeeping asks every few seconds."""
    if not cache.add(_DONE_KEY, 1, timeout=DAY_SECONDS):
        return
    with unscoped(reason="old records of searches of all spaces end"):
        rows = SearchRecord.objects.filter(created_at__lt=record_limit()).order_by()
        spaces = list(rows.values_list("space_id", flat=True).distinct())
    for space_id in spaces:
        with space_scope(space_id):
            enqueue(FORGET_SEARCHES, dedupe_key=str(space_id))


register_keeper(begin_forgetting)
