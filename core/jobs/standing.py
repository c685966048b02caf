"""What became of jobs: for apps whose rows wait for one, so that none waits for a job that is over."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from core.jobs.declare import Job
from core.models import BackgroundJob, JobState

_AT_WORK = (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True, kw_only=True)
class Over:
    """How a job ended that somebody may still wait for."""

    state: JobState | None
    """None: its row is gone."""
    reason: str


def jobs_over(job_ids: Collection[UUID]) -> dict[UUID, Over]:
    """Return those of the jobs that will do nothing any more."""
    rows = {
        row["pk"]: row
        for row in BackgroundJob.objects.filter(pk__in=job_ids).values("pk", "state", "reason")
    }
    over: dict[UUID, Over] = {}
    for job_id in job_ids:
        row = rows.get(job_id)
        if row is None:
            over[job_id] = Over(state=None, reason="")
        elif row["state"] not in _AT_WORK:
            over[job_id] = Over(state=JobState(row["state"]), reason=row["reason"])
    return over


def has_job(job: Job, *, dedupe_key: str) -> bool:
    """Say whether a job of this key waits or runs."""
    rows = BackgroundJob.objects.filter(name=job.name, dedupe_key=dedupe_key, state__in=_AT_WORK)
    return rows.exists()


def runs_elsewhere(job: Job, *, dedupe_key: str, but: UUID) -> bool:
    """Say whether another job of this key than `but` runs right now."""
    rows = BackgroundJob.objects.filter(
        name=job.name, dedupe_key=dedupe_key, state=JobState.RUNNING
    )
    return rows.exclude(pk=but).exists()


def spaces_waiting(queue: str) -> set[int]:
    """Return the spaces of which a job waits in a queue and may begin: who shares its workers."""
    rows = BackgroundJob.objects.filter(queue=queue, state=JobState.QUEUED)
    return set(
        rows.filter(run_after__lte=timezone.now()).values_list("space_id", flat=True).distinct()
    )
