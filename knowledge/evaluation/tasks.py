"""The job of evaluations."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction

from core.jobs.handlers import JobContext, handles
from knowledge.constants import OPEN_EVALUATIONS, EvaluationState
from knowledge.evaluation.jobs import EVALUATE
from knowledge.evaluation.running import evaluate as evaluate_run
from knowledge.evaluation.runs import end_run
from knowledge.models import EvaluationRun


def _failed(arguments: dict[str, Any], reason: str) -> None:
    with transaction.atomic():
        rows = EvaluationRun.objects.select_for_update()
        run = rows.filter(pk=arguments["run_id"], state__in=OPEN_EVALUATIONS).first()
        if run is not None:
            end_run(run, state=EvaluationState.FAILED, reason=reason)


@handles(EVALUATE, on_failure=_failed)
def evaluate(context: JobContext, *, run_id: str) -> None:
    """Ask the open questions of an evaluation."""
    evaluate_run(context, run_id=UUID(run_id))
