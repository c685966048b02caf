"""The jobs of this app: ids in, one service, failures told where people look."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction

from agents.jobs import FOLD_RUN, RUN_AGENT
from agents.models import AgentRun
from agents.runs.fold import fold_answer
from agents.runs.runner import run_agent
from agents.runs.store import finish_unstarted
from core.jobs.handlers import JobContext, handles


def _run_failed(arguments: dict[str, Any], reason: str) -> None:
    with transaction.atomic():
        run = AgentRun.objects.select_for_update().filter(pk=arguments["run_id"]).first()
        if run is not None:
            finish_unstarted(run, outcome="failed", reason="internal_error", detail=reason)


@handles(RUN_AGENT, on_failure=_run_failed)
def run(context: JobContext, *, run_id: str) -> None:
    """Make, or go on with, an answer."""
    run_agent(context, run_id=UUID(run_id))


@handles(FOLD_RUN)
def fold(_: JobContext, *, run_id: str) -> None:
    """Fold a finished answer's deltas into one row."""
    fold_answer(UUID(run_id))
