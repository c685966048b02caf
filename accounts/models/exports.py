"""Copies of a space for its owner to take away."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models.people import User
from core.tenancy import SpaceOwned


class ExportState(models.TextChoices):
    """How far a copy is."""

    WAITING = "waiting", _("Waiting")
    RUNNING = "running", _("In preparation")
    READY = "ready", _("Ready")
    FAILED = "failed", _("Failed")
    GONE = "gone", _("Removed")


class SpaceExport(SpaceOwned):
    """One copy of a space: asked for by an owner, made by a job, removed when its time is over."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    requested_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    """Only this owner downloads it: it holds their own conversations."""
    state = models.CharField(
        max_length=12, choices=ExportState.choices, default=ExportState.WAITING
    )
    reason = models.CharField(max_length=500, blank=True)
    """Why it failed or is gone."""
    size_bytes = models.PositiveBigIntegerField(default=0)
    content_hash = models.CharField(max_length=64, blank=True)
    """SHA-256 of the file, hexadecimal."""
    row_count = models.PositiveBigIntegerField(default=0)
    file_count = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    """When the file is removed; None before it is there."""

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("export")
        verbose_name_plural = _("exports")

    def __str__(self) -> str:
        return f"export {self.pk} ({self.state})"

    @property
    def file_name(self) -> str:
        """The name in the object store; below the space's own folder, so that it goes with it."""
        return f"spaces/{self.space_id}/exports/{self.pk}.zip"

    @property
    def is_ready(self) -> bool:
        """Whether it can be downloaded now."""
        has_ended = self.expires_at is not None and self.expires_at <= timezone.now()
        return self.state == ExportState.READY and not has_ended
