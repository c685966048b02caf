"""What accounts do once a day: old audit events go, stored bytes are counted anew."""

from __future__ import annotations

from django.core.cache import cache

from accounts.jobs import FORGET_AUDIT, RECOUNT_STORAGE
from core.jobs.enqueue import PLATFORM_SPACE_ID, enqueue
from core.jobs.housekeeping import register_keeper
from core.tenancy import space_scope

DAY_SECONDS = 24 * 3600
_DONE_KEY = "accounts:nightly"


def begin_nightly_work() -> None:
    """Enqueue the day's work, once; housekeeping asks every few seconds."""
    if not cache.add(_DONE_KEY, 1, timeout=DAY_SECONDS):
        return
    with space_scope(PLATFORM_SPACE_ID):
        for job in (FORGET_AUDIT, RECOUNT_STORAGE):
            enqueue(job, dedupe_key="daily")


register_keeper(begin_nightly_work)
