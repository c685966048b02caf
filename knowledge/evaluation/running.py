"""Carries an evaluation out: each question's result is a row, so a killed worker's run goes on."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.actors import actor_of
from core.errors import AccessDenied, NotFound
from core.jobs.handlers import JobCancelled, JobContext
from knowledge.constants import OPEN_EVALUATIONS, EvaluationState
from knowledge.evaluation.kinds import kind_named
from knowledge.evaluation.runs import end_run
from knowledge.models import EvaluationResult, EvaluationRun
from knowledge.queries import get_base


def evaluate(context: JobContext, *, run_id: UUID) -> None:
    """Work on a run until nothing of it is left to do now.

    Raises:
        JobCancelled: it was stopped, or another worker has the job.
        ProjectError: it cannot go on; says why.
    """
    run = EvaluationRun.objects.select_related("base", "author").filter(pk=run_id).first()
    if run is None or run.state not in OPEN_EVALUATIONS:
        return
    EvaluationRun.objects.filter(pk=run.pk).update(
        state=EvaluationState.RUNNING, started_at=run.started_at or timezone.now()
    )
    if kind_named(run.kind).work(context, run):
        _finish(context, run.pk)


def starter_of(run: EvaluationRun) -> Actor:
    """Return who began a run, as they are now; asked again before each question.

    Raises:
        NotFound, AccessDenied: they left the space, or may not edit the base any more.
    """
    if run.author is None:
        raise NotFound(_("Who began this is gone."))
    actor = actor_of(run.author, space_id=run.space_id)
    try:
        require(actor, "edit", get_base(actor, run.base_id))
    except (NotFound, AccessDenied) as refusal:
        raise AccessDenied(_("Who began this may not work on the base any more.")) from refusal
    return actor


def next_open(run: EvaluationRun) -> EvaluationResult | None:
    """Return the first question that was not answered yet."""
    rows = EvaluationResult.objects.filter(run=run, ended_at__isnull=True)
    return rows.order_by("position").first()


def store_result(context: JobContext, row: EvaluationResult) -> None:
    """Write a finished result and count it, unless the run was stopped or taken over meanwhile.

    Raises:
        JobCancelled: it was.
    """
    with transaction.atomic():
        context.check_lease()
        run = EvaluationRun.objects.select_for_update().get(pk=row.run_id)
        if run.state not in OPEN_EVALUATIONS:
            raise JobCancelled(_("The evaluation was stopped."))
        if not EvaluationResult.objects.filter(pk=row.pk, ended_at__isnull=True).exists():
            return
        row.ended_at = timezone.now()
        row.save()
        EvaluationRun.objects.filter(pk=run.pk).update(done=F("done") + 1)


def _finish(context: JobContext, run_id: UUID) -> None:
    with transaction.atomic():
        context.check_lease()
        run = EvaluationRun.objects.select_for_update().get(pk=run_id)
        if run.state in OPEN_EVALUATIONS:
            end_run(run, state=EvaluationState.DONE)
