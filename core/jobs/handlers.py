"""The registry of job handlers, and what a handler is given and may raise."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from core.jobs.declare import Job
from core.models import BackgroundJob, JobState


class JobCancelled(Exception):
    """The job was asked to stop, or its lease is another worker's now."""


class RetryJob(Exception):
    """The job should run again later; `reason` is shown to the person who waits."""

    def __init__(self, reason: str, *, delay_seconds: float = 10.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.delay_seconds = delay_seconds


@dataclass(kw_only=True)
class JobContext:
    """What a running handler knows about its job."""

    job_id: UUID
    space_id: int
    attempt: int
    """From 1."""
    lease_epoch: int
    deadline: float
    """On the clock of `time.monotonic`."""
    _stop: threading.Event = field(default_factory=threading.Event)
    stop_reason: str = ""
    timed_out: bool = False
    """Whether the stop is a failure that its people must read about."""

    @property
    def cancelled(self) -> bool:
        """Whether the handler should stop now; long steps ask this at least every few seconds."""
        if not self._stop.is_set() and time.monotonic() > self.deadline:
            self.timed_out = True
            self.stop("It took longer than its time limit.")
        return self._stop.is_set()

    def stop(self, reason: str) -> None:
        """Ask the handler to stop."""
        self.stop_reason = self.stop_reason or reason
        self._stop.set()

    def check(self) -> None:
        """Return when the job should go on.

        Raises:
            JobCancelled: it should not.
        """
        if self.cancelled:
            raise JobCancelled(self.stop_reason)

    def check_lease(self) -> None:
        """Return when the job row is still ours; asked inside a transaction before it writes.

        Raises:
            JobCancelled: it was cancelled, or another worker has it.
        """
        self.check()
        mine = BackgroundJob.objects.filter(
            pk=self.job_id,
            state=JobState.RUNNING,
            lease_epoch=self.lease_epoch,
            cancel_requested=False,
        )
        if not mine.exists():
            self.stop("The job is another worker's now, or was canceled.")
            raise JobCancelled(self.stop_reason)


Handler = Callable[..., None]
FailureHandler = Callable[[dict[str, Any], str], None]


@dataclass(frozen=True, kw_only=True)
class Registered:
    """A job with what runs it and what tells its people that it failed for good."""

    job: Job
    run: Handler
    on_failure: FailureHandler | None
    on_retry: FailureHandler | None


_handlers: dict[str, Registered] = {}


def handles(
    job: Job,
    *,
    on_failure: FailureHandler | None = None,
    on_retry: FailureHandler | None = None,
) -> Callable[[Handler], Handler]:
    """Register the decorated function `(context, **arguments)` as the handler of `job`.

    `on_failure(arguments, reason)` runs in the job's space when the job failed for good, also when
    workers died on it; it must write the reason where the person looks. `on_retry` is its sibling
    for a job that waits to be tried again.
    """

    def register(handler: Handler) -> Handler:
        if job.name in _handlers:
            raise RuntimeError(f"{job.name} has a handler already")
        _handlers[job.name] = Registered(
            job=job, run=handler, on_failure=on_failure, on_retry=on_retry
        )
        return handler

    return register


def handler_of(name: str) -> Registered | None:
    """Return what was registered for a job's name."""
    return _handlers.get(name)
