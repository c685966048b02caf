"""The timeline of an attempt: which step runs, how far it is, how it ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from core.errors import ProjectError
from core.jobs.handlers import JobCancelled
from knowledge.constants import StageName, StageState
from knowledge.ingest.parse import ParseCancelled
from knowledge.models import Document, Stage
from knowledge.parsers.contract import ParseRefused
from providers.contracts.errors import ModelError

_WRITE_EVERY_SECONDS = 0.5


class StagePaused(Exception):
    """The step stops without having failed; it begins again later."""


@dataclass(kw_only=True)
class StageReport:
    """What a running step says about itself."""

    row: Stage
    _written_at: float = field(default=0.0)
    _open: bool = False

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

    def skipped(self, reason: str = "") -> None:
        """Say that there was nothing to do: an earlier output was taken over, or why else."""
        self.row.state = StageState.SKIPPED
        if reason:
            self.note(skipped=reason)

    def failed(self, code: str, reason: str) -> None:
        """Say that the step ends without all of its result, and why, for people."""
        self.row.state = StageState.FAILED
        self.row.error_code, self.row.error = code[:40], reason

    def done(self) -> None:
        """Write the end now, so that it stands or falls with the caller's transaction.

        For a step of which nobody would notice that its end is missing: a worker that is killed
        after the commit leaves no work for the next one.
        """
        self.row.state, self.row.ended_at = StageState.DONE, timezone.now()
        self.row.save()

    def goes_on(self) -> None:
        """Say that another job goes on with the step."""
        self._open = True


@contextmanager
def stage(document: Document, name: StageName, *, resume: bool = False) -> Iterator[StageReport]:
    """Write the step's beginning and end around the block.

    Args:
        document: whose present attempt it is.
        name: of the step.
        resume: keep what earlier jobs of the step wrote: its beginning, progress and facts.
    """
    report = StageReport(row=_begun(document, name, resume=resume))
    try:
        yield report
    except BaseException as error:
        _end(report, error)
        raise
    _end(report, None)


def _begun(document: Document, name: StageName, *, resume: bool) -> Stage:
    fresh = {"started_at": timezone.now(), "done": 0, "total": 0, "detail": {}}
    always = {
        "space_id": document.space_id,
        "state": StageState.RUNNING,
        "ended_at": None,
        "error_code": "",
        "error": "",
    }
    row, made = Stage.objects.get_or_create(
        document=document, attempt=document.attempt, name=name, defaults={**always, **fresh}
    )
    if not made:
        begins = not resume or row.state == StageState.WAITING
        for field_name, value in {**always, **(fresh if begins else {})}.items():
            setattr(row, field_name, value)
        row.save()
    return row


def _end(report: StageReport, error: BaseException | None) -> None:
    row = report.row
    if isinstance(error, JobCancelled | ParseCancelled | StagePaused):
        row.state = StageState.CANCELLED
    elif error is not None:
        report.failed(*_words(error))
    elif row.state == StageState.RUNNING and not report._open:
        row.state = StageState.DONE
    row.ended_at = None if row.state == StageState.RUNNING else timezone.now()
    row.save()


def _words(error: BaseException) -> tuple[str, str]:
    """Return a code and words for people; what nobody expected is in the log only."""
    if isinstance(error, ParseRefused):
        return error.code, error.reason
    if isinstance(error, ModelError):
        return error.kind, error.message
    if isinstance(error, ProjectError):
        return error.code, error.message
    return "unexpected", "An unexpected error stopped it; the log of the worker has details."
