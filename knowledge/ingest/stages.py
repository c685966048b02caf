"""The timeline of an attempt: which step runs, how far it is, how it ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from core.jobs.handlers import JobCancelled
from knowledge.constants import StageName, StageState
from knowledge.models import Document, Stage

_WRITE_EVERY_SECONDS = 0.5


@dataclass(kw_only=True)
class StageReport:
    """What a running step says about itself."""

    row: Stage
    _written_at: float = field(default=0.0)

    def progress(self, done: int, total: int) -> None:
        """Tell how far the step is; written at most twice a second."""
        now = time.monotonic()
        if done < total and now - self._written_at < _WRITE_EVERY_SECONDS:
            return
        self._written_at = now
        self.row.done, self.row.total = done, total
        self.row.save(update_fields=["done", "total"])

    def note(self, **detail: Any) -> None:
        """Keep facts about the step; the document's page shows them."""
        self.row.detail = {**self.row.detail, **detail}

    def skipped(self) -> None:
        """Say that an earlier attempt's output was taken over."""
        self.row.state = StageState.SKIPPED


@contextmanager
def stage(document: Document, name: StageName) -> Iterator[StageReport]:
    """Write the step's beginning and end around the block."""
    row, _ = Stage.objects.update_or_create(
        document=document,
        attempt=document.attempt,
        name=name,
        defaults={
            "space_id": document.space_id,
            "state": StageState.RUNNING,
            "started_at": timezone.now(),
            "ended_at": None,
            "done": 0,
            "total": 0,
            "detail": {},
        },
    )
    report = StageReport(row=row)
    try:
        yield report
    except BaseException as error:
        stopped = isinstance(error, JobCancelled)
        row.state = StageState.CANCELLED if stopped else StageState.FAILED
        row.ended_at = timezone.now()
        row.save()
        raise
    if row.state == StageState.RUNNING:
        row.state = StageState.DONE
    row.ended_at = timezone.now()
    row.save()
