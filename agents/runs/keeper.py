"""Housekeeping of runs: an open run whose job is gone gets a new one, from the rows alone."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from agents.constants import RunState
from agents.jobs import RUN_AGENT
from agents.models import AgentRun
from core.jobs.enqueue import enqueue
from core.jobs.housekeeping import register_keeper
from core.models import BackgroundJob, JobState
from core.tenancy import space_scope, unscoped


def resume_lost_runs() -> int:
    """Enqueue a job for each open run that has none; return how many there were."""
    limit = timezone.now() - timedelta(seconds=settings.JOB_LEASE_SECONDS)
    with unscoped(reason="housekeeping looks for lost runs of all spaces"):
        rows = AgentRun.objects.filter(
            state__in=(RunState.QUEUED, RunState.RUNNING), created_at__lt=limit
        ).values_list("pk", "space_id", "job_id")
        open_runs = list(rows)
    alive = set(
        BackgroundJob.objects.filter(
            pk__in=[job_id for _, _, job_id in open_runs if job_id],
            state__in=(JobState.QUEUED, JobState.RUNNING),
        ).values_list("pk", flat=True)
    )
    lost = [(run_id, space_id) for run_id, space_id, job_id in open_runs if job_id not in alive]
    for run_id, space_id in lost:
        with space_scope(space_id):
            job_id = enqueue(RUN_AGENT, dedupe_key=str(run_id), run_id=str(run_id))
            if job_id is not None:
                AgentRun.objects.filter(pk=run_id).update(job_id=job_id)
    return len(lost)


def _keep() -> None:
    resume_lost_runs()


register_keeper(_keep)
