"""Heals what dead workers and lost messages left: runs every few seconds, from the rows alone."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from core.jobs.enqueue import PLATFORM_SPACE_ID, wake
from core.jobs.handlers import handler_of
from core.jobs.work import fail, leave_key
from core.live import live
from core.models import BackgroundJob, JobState
from core.tenancy import space_scope

logger = logging.getLogger(__name__)
_ended_states = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)
_keepers: list[Callable[[], None]] = []


def register_keeper(keeper: Callable[[], None]) -> None:
    """Add an app's own housekeeping; called in `AppConfig.ready`."""
    _keepers.append(keeper)


def keep_house() -> None:
    """Return lost jobs to their queues, wake idle queues, forget old rows, ask each app to heal."""
    return_lost_jobs()
    wake_waiting_queues()
    _forget_old_rows()
    for keeper in _keepers:
        try:
            keeper()
        except Exception:  # one app's trouble must not stop the others
            logger.exception("Housekeeping of %s failed", keeper.__module__)


def return_lost_jobs() -> int:
    """Queue again, or fail, each job whose worker stopped beating; return how many there were."""
    limit = timezone.now() - timedelta(seconds=settings.JOB_LEASE_SECONDS)
    lost = 0
    while True:
        with transaction.atomic():
            row = (
                BackgroundJob.objects.select_for_update(skip_locked=True)
                .filter(state=JobState.RUNNING, heartbeat_at__lt=limit)
                .first()
            )
            if row is None:
                return lost
            lost += 1
            _return_or_fail(row)


def _return_or_fail(row: BackgroundJob) -> None:
    logger.warning("Job %s %s lost its worker %s", row.name, row.pk, row.lease_owner)
    if row.cancel_requested:
        BackgroundJob.objects.filter(pk=row.pk).update(
            state=JobState.CANCELLED, ended_at=timezone.now(), reason="Canceled."
        )
    elif row.attempt >= row.max_attempts:
        reason = f"The worker ended {row.attempt} times while it did this; it is not tried again."
        if row.space_id == PLATFORM_SPACE_ID:
            fail(row, handler_of(row.name), reason)
        else:
            with space_scope(row.space_id):
                fail(row, handler_of(row.name), reason)
    else:
        # Its place is kept once: what kills each worker must not hold up its space.
        run_after = row.run_after if row.attempt <= 1 else timezone.now()
        leave_key(row)
        BackgroundJob.objects.filter(pk=row.pk).update(
            state=JobState.QUEUED,
            lease_epoch=row.lease_epoch + 1,
            run_after=run_after,
            reason="Its worker ended; another one takes it over.",
        )


def wake_waiting_queues() -> None:
    """Send wake-ups for queues with due rows: replaces messages that a broker lost."""
    waiting = (
        BackgroundJob.objects.filter(state=JobState.QUEUED, run_after__lte=timezone.now())
        .order_by()
        .values_list("queue")
        .annotate(rows=Count("pk"))
    )
    for queue, rows in waiting:
        for _ in range(min(rows, settings.JOBS_IN_FLIGHT_PER_SPACE[queue])):
            wake(queue)


def _forget_old_rows() -> None:
    limit = timezone.now() - timedelta(days=live("JOB_ROWS_KEPT_DAYS"))
    BackgroundJob.objects.filter(state__in=_ended_states, ended_at__lt=limit).delete()
