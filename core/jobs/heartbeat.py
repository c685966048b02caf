"""One thread a worker process keeps the leases of all its running jobs and hears cancellations."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from core.jobs.handlers import JobContext
from core.models import BackgroundJob, JobState

logger = logging.getLogger(__name__)
_running: dict[tuple[str, int], JobContext] = {}
_lock = threading.Lock()
_thread: threading.Thread | None = None
_idle = threading.Event()


@contextmanager
def beating(context: JobContext) -> Iterator[None]:
    """Keep the job's lease while the block runs."""
    key = (str(context.job_id), context.lease_epoch)
    with _lock:
        _running[key] = context
        _ensure_thread()
    try:
        yield
    finally:
        with _lock:
            _running.pop(key, None)


def beat_once() -> None:
    """Renew all leases; tell jobs that were cancelled or taken over to stop."""
    with _lock:
        contexts = list(_running.values())
    if not contexts:
        return
    ids = [context.job_id for context in contexts]
    BackgroundJob.objects.filter(pk__in=ids, state=JobState.RUNNING).update(
        heartbeat_at=timezone.now()
    )
    rows = {
        row["pk"]: row
        for row in BackgroundJob.objects.filter(pk__in=ids).values(
            "pk", "state", "lease_epoch", "cancel_requested"
        )
    }
    for context in contexts:
        row = rows.get(context.job_id)
        if row is None or row["state"] != JobState.RUNNING:
            context.stop("The job is no longer running.")
        elif row["lease_epoch"] != context.lease_epoch:
            context.stop("Another worker took the job over.")
        elif row["cancel_requested"]:
            context.stop("Canceled.")


def _ensure_thread() -> None:
    global _thread
    if _thread is None or not _thread.is_alive():
        _thread = threading.Thread(target=_loop, name="job-heartbeat", daemon=True)
        _thread.start()


def _loop() -> None:
    while True:
        try:
            beat_once()
        except (DatabaseError, InterfaceError):
            logger.warning("A heartbeat could not be written; the next one may.", exc_info=True)
        finally:
            connection.close()
        _idle.wait(settings.JOB_HEARTBEAT_SECONDS)
