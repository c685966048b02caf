"""Celery's door to jobs: a wake-up runs one row; beat runs housekeeping."""

from __future__ import annotations

from celery import shared_task

from core.jobs.enqueue import WAKE_TASK
from core.jobs.housekeeping import keep_house
from core.jobs.work import work


# Acknowledged early: the row is the truth, so a redelivered wake-up would only find nothing to do.
@shared_task(name=WAKE_TASK, acks_late=False, ignore_result=True)
def wake_worker(queue: str) -> None:
    """Run the next job of the queue, if there is one."""
    work(queue)


@shared_task(name="core.keep_house", acks_late=False, ignore_result=True)
def run_housekeeping() -> None:
    """Heal what dead workers and lost messages left."""
    keep_house()
