"""What administrators of the installation do with background jobs; it is audited."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.platform.administrators import require_administrator
from accounts.services.platform_audit import record_platform_audit
from core.errors import Conflict, NotFound
from core.jobs.enqueue import cancel_job, wake
from core.models import BackgroundJob, JobState

ENDED = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


@transaction.atomic
def retry(administrator: User, *, job_id: UUID) -> None:
    """Queue a failed or cancelled job anew, with all its tries.

    Raises:
        AccessDenied: the administrator is none.
        NotFound: the job is gone.
        Conflict: it waits, runs or is done, or another of the same key waits.
    """
    row = _locked(administrator, job_id)
    if row.state not in (JobState.FAILED, JobState.CANCELLED):
        raise Conflict(_("Only failed and canceled jobs are tried again."))
    same = BackgroundJob.objects.filter(
        name=row.name, dedupe_key=row.dedupe_key, state=JobState.QUEUED
    )
    if row.dedupe_key and same.exists():
        raise Conflict(_("The same work waits already."))
    row.state, row.attempt, row.reason = JobState.QUEUED, 0, ""
    row.cancel_requested, row.ended_at, row.run_after = False, None, timezone.now()
    row.lease_epoch += 1
    row.save()
    transaction.on_commit(lambda: wake(row.queue))
    record_platform_audit(administrator, "job.retry", target=row, space=row.space_id)


@transaction.atomic
def cancel(administrator: User, *, job_id: UUID) -> None:
    """Ask a job to stop: a waiting one ends now, a running one within seconds.

    Raises:
        AccessDenied, NotFound: as `retry`.
        Conflict: it has ended.
    """
    row = _locked(administrator, job_id)
    if row.state in ENDED:
        raise Conflict(_("It has ended already."))
    cancel_job(row.pk)
    record_platform_audit(administrator, "job.cancel", target=row, space=row.space_id)


@transaction.atomic
def forget(administrator: User, *, job_id: UUID) -> None:
    """Delete the row of an ended job.

    Raises:
        AccessDenied, NotFound: as `retry`.
        Conflict: it has not ended.
    """
    row = _locked(administrator, job_id)
    if row.state not in ENDED:
        raise Conflict(_("Cancel it first."))
    record_platform_audit(administrator, "job.forget", target=row, space=row.space_id)
    row.delete()


def _locked(administrator: User, job_id: UUID) -> BackgroundJob:
    require_administrator(administrator)
    row = BackgroundJob.objects.select_for_update().filter(pk=job_id).first()
    if row is None:
        raise NotFound("There is no such job any more.")
    return row
