"""The jobs that keep bases in order."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from core.jobs.handlers import JobContext, handles
from knowledge.models import IngestBatch
from knowledge.organising.copies import run_copy
from knowledge.organising.jobs import COPY_BASE, EMPTY_TRASH
from knowledge.organising.trash import empty_old_trash


@handles(EMPTY_TRASH)
def empty_trash(_: JobContext) -> None:
    """End what has been in the trash of a space for long enough."""
    empty_old_trash()


def _copy_failed(arguments: dict[str, Any], reason: str) -> None:
    IngestBatch.objects.filter(pk=arguments["batch_id"]).update(
        uploads={
            "is_complete": True,
            "failed": [{"name": "", "reason": reason}],
            "failed_total": 1,
        }
    )


@handles(COPY_BASE, on_failure=_copy_failed)
def copy_whole_base(context: JobContext, *, source_id: str, batch_id: str) -> None:
    """Copy what a base holds into another."""
    run_copy(context, source_id=UUID(source_id), batch_id=UUID(batch_id))
