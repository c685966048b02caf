"""Once an hour, deleted entries whose time to be restored is over are gone for good."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from core.jobs.enqueue import enqueue
from core.jobs.housekeeping import register_keeper
from core.tenancy import space_scope, unscoped
from knowledge.faq.jobs import EMPTY_ENTRIES
from knowledge.models import FaqEntry

_HOUR_SECONDS = 3600
_DONE_KEY = "knowledge:faq-trash"


def empty_old_entries() -> int:
    """Remove them from the current space; their passages and index rows go along."""
    return (
        FaqEntry.objects.filter(trashed_at__lt=trash_limit())
        .delete()[1]
        .get("knowledge.FaqEntry", 0)
    )


def trash_limit() -> datetime:
    """Return since when a deleted entry cannot be restored any more."""
    return timezone.now() - timedelta(days=settings.TRASH_DAYS)


def begin_emptying() -> None:
    """Enqueue the job in each space that has something; housekeeping asks every few seconds."""
    if not cache.add(_DONE_KEY, 1, timeout=_HOUR_SECONDS):
        return
    with unscoped(reason="the deleted entries of all spaces are ended"):
        rows = FaqEntry.objects.filter(trashed_at__lt=trash_limit()).order_by()
        spaces = list(rows.values_list("space_id", flat=True).distinct())
    for space_id in spaces:
        with space_scope(space_id):
            enqueue(EMPTY_ENTRIES, dedupe_key=str(space_id))


register_keeper(begin_emptying)
