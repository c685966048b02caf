"""Background jobs as rows: what is to be done, by whom it is being done, and how it ended."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone


class JobState(models.TextChoices):
    """States of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled", "Canceled"


class BackgroundJob(models.Model):
    """One job. The row is the truth; the broker's message only wakes a worker.

    `core` knows no space: `space_id` is a plain number, 0 for the platform itself. Only `core.jobs`
    and the administrator's page read this table; both know that it spans spaces.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space_id = models.BigIntegerField(default=0)
    name = models.CharField(max_length=100)
    queue = models.CharField(max_length=40)
    arguments = models.JSONField(default=dict)
    dedupe_key = models.CharField(max_length=200, blank=True)
    """While a job with this key is queued, another is not added."""
    state = models.CharField(max_length=12, choices=JobState.choices, default=JobState.QUEUED)
    attempt = models.PositiveIntegerField(default=0)
    max_attempts = models.PositiveIntegerField(default=5)
    lease_epoch = models.PositiveIntegerField(default=0)
    """Grows with each taking; a worker that holds an older one may write nothing."""
    lease_owner = models.CharField(max_length=100, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    run_after = models.DateTimeField(default=timezone.now)
    cancel_requested = models.BooleanField(default=False)
    reason = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["queue", "space_id", "run_after"],
                name="job_waiting_of_space",
                condition=Q(state="queued"),
            ),
            models.Index(
                fields=["queue", "space_id"], name="job_running", condition=Q(state="running")
            ),
            # Of ended jobs alone: were `state` in it, old statistics would have a claim read it whole.
            models.Index(
                fields=["ended_at"], name="job_ended", condition=Q(ended_at__isnull=False)
            ),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["name", "dedupe_key"],
                condition=Q(state="queued") & ~Q(dedupe_key=""),
                name="one_queued_job_per_key",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.state})"
