"""Runs one job of a queue: claim, handle, record how it ended, wake the next."""

from __future__ import annotations

import logging
import os
import socket
import time
from contextlib import nullcontext
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.durability import LATER
from core.errors import ProjectError, ServiceFailed
from core.jobs.enqueue import PLATFORM_SPACE_ID, wake
from core.jobs.handlers import JobCancelled, JobContext, Registered, RetryJob, handler_of
from core.jobs.heartbeat import beating
from core.models import BackgroundJob, JobState
from core.tenancy import space_scope

logger = logging.getLogger(__name__)
_CLAIM_LOCK = 0x57454B4E
"""First key of the advisory locks that make claims of one queue take turns."""
_NO_LIMIT = 1_000_000
_TAKE_TURN = f"SELECT pg_advisory_xact_lock(%s, hashtext(%s)), {LATER}"
_CLAIM = """
    WITH RECURSIVE waiting AS (
        (SELECT space_id FROM core_backgroundjob
         WHERE state = 'queued' AND queue = %(queue)s ORDER BY space_id LIMIT 1)
        UNION ALL
        SELECT (SELECT space_id FROM core_backgroundjob
                WHERE state = 'queued' AND queue = %(queue)s AND space_id > waiting.space_id
                ORDER BY space_id LIMIT 1)
        FROM waiting WHERE waiting.space_id IS NOT NULL
    ), busy AS (
        SELECT space_id, count(*) AS running FROM core_backgroundjob
        WHERE state = 'running' AND queue = %(queue)s GROUP BY space_id
    ), chosen AS (
        SELECT oldest.id FROM waiting
        LEFT JOIN busy ON busy.space_id = waiting.space_id
        CROSS JOIN LATERAL (
            SELECT id, run_after FROM core_backgroundjob
            WHERE state = 'queued' AND queue = %(queue)s AND space_id = waiting.space_id
              AND run_after <= %(now)s
            ORDER BY run_after LIMIT 1
        ) AS oldest
        WHERE coalesce(busy.running, 0) < %(limit)s
          AND (SELECT coalesce(sum(running), 0) FROM busy) < %(total)s
        ORDER BY coalesce(busy.running, 0), oldest.run_after
        LIMIT 1
    )
    UPDATE core_backgroundjob AS job
    SET state = 'running', attempt = job.attempt + 1, lease_epoch = job.lease_epoch + 1,
        lease_owner = %(owner)s, heartbeat_at = %(now)s, started_at = %(now)s
    WHERE job.id = (SELECT id FROM chosen) AND job.state <> 'cancelled'
    RETURNING job.*
"""
"""Steps from space to space through `job_waiting_of_space`, and reads one row of each.

A join of all waiting rows with the busy spaces took 10 to 90 ms beside 10,000 rows of one space, each
time a thread looked for work; and statistics of so lively a table are never right. For the same
reason the last line does not say `= 'queued'`, which would let an index of all waiting rows be read.
"""


def worker_name() -> str:
    """Return who holds a lease; asked late, because worker processes are forked."""
    return f"{socket.gethostname()}:{os.getpid()}"


def work(queue: str) -> bool:
    """Run the next job of `queue`; return whether there was one."""
    row = claim(queue)
    if row is None:
        return False
    scope = space_scope(row.space_id) if row.space_id != PLATFORM_SPACE_ID else nullcontext()
    try:
        with scope:
            _handle(row)
    finally:
        if BackgroundJob.objects.filter(queue=queue, state=JobState.QUEUED).exists():
            wake(queue)
    return True


def claim(queue: str) -> BackgroundJob | None:
    """Take the next row under a new lease epoch, from the space with the fewest jobs in flight."""
    limit = settings.JOBS_IN_FLIGHT_PER_SPACE[queue]
    total = settings.JOBS_IN_FLIGHT.get(queue, _NO_LIMIT)
    values = {
        "queue": queue,
        "limit": limit,
        "total": total,
        "owner": worker_name(),
        "now": timezone.now(),
    }
    with transaction.atomic():
        with connection.cursor() as cursor:
            # The next claim waits for this commit, and nothing is lost without it: the job is queued.
            cursor.execute(_TAKE_TURN, [_CLAIM_LOCK, queue])
        return next(iter(BackgroundJob.objects.raw(_CLAIM, values)), None)


def _handle(row: BackgroundJob) -> None:
    registered = handler_of(row.name)
    if registered is None:
        _end(row, JobState.FAILED, f"No worker knows the job {row.name!r}.")
        return
    context = JobContext(
        job_id=row.pk,
        space_id=row.space_id,
        attempt=row.attempt,
        lease_epoch=row.lease_epoch,
        deadline=time.monotonic() + registered.job.time_limit_seconds,
    )
    with beating(context):
        _run(row, registered, context)


def _run(row: BackgroundJob, registered: Registered, context: JobContext) -> None:
    """Call the handler and turn each way it can end into a state with a reason."""
    try:
        registered.run(context, **row.arguments)
    except JobCancelled:
        if context.timed_out:
            fail(row, registered, context.stop_reason)
        else:
            _end(row, JobState.CANCELLED, context.stop_reason or "Canceled.")
    except RetryJob as wish:
        _retry_or_fail(row, registered, wish.reason, wish.delay_seconds)
    except ServiceFailed as failure:
        if failure.retry:
            # A service that is away for minutes must not use up all tries in seconds.
            delay = max(
                failure.retry_after_seconds or 0.0, min(5.0 * 2 ** (row.attempt - 1), 300.0)
            )
            _retry_or_fail(row, registered, failure.message, delay)
        else:
            fail(row, registered, failure.message)
    except ProjectError as failure:
        fail(row, registered, failure.message)
    except Exception:
        logger.exception("Job %s %s failed (space %s)", row.name, row.pk, row.space_id)
        fail(row, registered, "An unexpected error stopped it; the log of the worker has details.")
    else:
        _end(row, JobState.DONE, "")


def _retry_or_fail(
    row: BackgroundJob, registered: Registered, reason: str, delay_seconds: float
) -> None:
    if row.attempt >= row.max_attempts:
        fail(row, registered, reason)
        return
    leave_key(row)
    waits = _mine(row).update(
        state=JobState.QUEUED,
        reason=reason,
        run_after=timezone.now() + timedelta(seconds=delay_seconds),
    )
    if waits and registered.on_retry is not None:
        registered.on_retry(dict[str, Any](row.arguments), reason)


def leave_key(row: BackgroundJob) -> None:
    """Let a job that will be queued again give up its key where another one waits under it.

    One was added while this one ran. Both are done: that one may be about something newer.
    """
    waiting = BackgroundJob.objects.filter(
        name=row.name, dedupe_key=row.dedupe_key, state=JobState.QUEUED
    )
    if row.dedupe_key and waiting.exists():
        BackgroundJob.objects.filter(pk=row.pk).update(dedupe_key="")


def fail(row: BackgroundJob, registered: Registered | None, reason: str) -> None:
    """End the job for good and tell its people where they look."""
    if not _end(row, JobState.FAILED, reason):
        return
    if registered is not None and registered.on_failure is not None:
        registered.on_failure(dict[str, Any](row.arguments), reason)


def _end(row: BackgroundJob, state: JobState, reason: str) -> bool:
    """Write the final state if the lease is still ours; return whether it was."""
    return bool(_mine(row).update(state=state, reason=reason, ended_at=timezone.now()))


def _mine(row: BackgroundJob) -> QuerySet[BackgroundJob]:
    return BackgroundJob.objects.filter(
        pk=row.pk, state=JobState.RUNNING, lease_epoch=row.lease_epoch
    )
