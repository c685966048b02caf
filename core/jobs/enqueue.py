"""Adds jobs: a row now, a wake-up for a worker once the transaction has committed."""

from __future__ import annotations

import logging
from contextlib import nullcontext
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from celery import current_app
from django.db import IntegrityError, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from core.jobs.declare import Job
from core.models import BackgroundJob, JobState
from core.tenancy import current_space_id

logger = logging.getLogger(__name__)
WAKE_TASK = "core.wake"
PLATFORM_SPACE_ID = 0


def enqueue(
    job: Job,
    *,
    dedupe_key: str = "",
    run_after: datetime | None = None,
    delay_seconds: float = 0.0,
    **arguments: Any,
) -> UUID | None:
    """Add the job for the current space (none: for the platform) and return its id.

    `arguments` must be JSON values: ids, never objects. Returns None when a job with `dedupe_key`
    is queued already, which will do the work.
    """
    due = (run_after or timezone.now()) + timedelta(seconds=delay_seconds)
    row = BackgroundJob(
        space_id=current_space_id() or PLATFORM_SPACE_ID,
        name=job.name,
        queue=job.queue,
        arguments=arguments,
        dedupe_key=dedupe_key,
        max_attempts=job.max_attempts,
        run_after=due,
    )
    # Only what may meet a queued job of its key needs a place to go back to.
    place = transaction.atomic() if dedupe_key else nullcontext()
    try:
        with place:
            row.save(force_insert=True)
    except IntegrityError:
        if not dedupe_key:
            raise
        return None
    if due <= timezone.now():
        transaction.on_commit(partial(wake, job.queue))
    return row.pk


def cancel_job(job_id: UUID) -> None:
    """Ask a job to stop: a queued one ends now, a running one within five seconds."""
    now = timezone.now()
    BackgroundJob.objects.filter(pk=job_id, state=JobState.QUEUED).update(
        state=JobState.CANCELLED, ended_at=now, reason="Canceled before it began."
    )
    BackgroundJob.objects.filter(pk=job_id, state=JobState.RUNNING).update(cancel_requested=True)


def cancel_jobs(job: Job, *, dedupe_key: str) -> None:
    """Ask all jobs of this key to stop."""
    rows = BackgroundJob.objects.filter(
        name=job.name, dedupe_key=dedupe_key, state__in=(JobState.QUEUED, JobState.RUNNING)
    )
    for job_id in rows.values_list("pk", flat=True):
        cancel_job(job_id)


def cancel_jobs_of_space(space_id: int) -> None:
    """Ask all jobs of a space to stop: it is about to end."""
    rows = BackgroundJob.objects.filter(
        space_id=space_id, state__in=(JobState.QUEUED, JobState.RUNNING)
    )
    for job_id in rows.values_list("pk", flat=True):
        cancel_job(job_id)


def wake(queue: str) -> None:
    """Tell the workers of a queue that a row waits; a lost message is healed by housekeeping."""
    try:
        current_app.send_task(WAKE_TASK, args=[queue], queue=queue, ignore_result=True)
    except OperationalError:
        logger.warning("The broker cannot be reached; housekeeping will wake queue %s.", queue)
