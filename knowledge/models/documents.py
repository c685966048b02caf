"""Documents and the timeline of how each one was read."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.constants import DocumentState, StageName, StageState
from knowledge.models.bases import KnowledgeBase


class Document(SpaceOwned):
    """A file that somebody put into a base."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="documents")
    name = models.CharField(_("name"), max_length=255)
    folder_path = models.CharField(max_length=1000, blank=True)
    """Folders above the file, joined by "/"; blank at the root."""
    file_type = models.CharField(max_length=20, blank=True)
    """Our name of the type found in the content; blank until that was looked at."""
    size_bytes = models.PositiveBigIntegerField()
    content_hash = models.CharField(max_length=64)
    """SHA-256 of the file, hexadecimal; also its key in the store."""
    revision = models.PositiveIntegerField(default=0)
    """Grows each time that another text was read from the file."""
    state = models.CharField(
        max_length=20, choices=DocumentState.choices, default=DocumentState.PENDING
    )
    reason_code = models.CharField(max_length=40, blank=True)
    reason = models.TextField(blank=True)
    """Why the state is what it is, and what the owner can do; for people."""
    warnings = models.JSONField(default=list, blank=True)
    attempt = models.PositiveIntegerField(default=1)
    job_id = models.UUIDField(null=True, blank=True)
    page_count = models.PositiveIntegerField(null=True, blank=True)
    chunk_count = models.PositiveIntegerField(default=0)
    searchable_at = models.DateTimeField(null=True, blank=True)
    """Since when its chunks are found; None before, and while it is not to be found."""
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "name"]
        verbose_name = _("document")
        indexes: ClassVar = [
            models.Index(fields=["base", "-created_at"], name="document_newest"),
            models.Index(fields=["base", "content_hash"], name="document_same_file"),
            models.Index(fields=["state"], name="document_state"),
        ]

    def __str__(self) -> str:
        return self.name


class Stage(SpaceOwned):
    """One step of one attempt to ingest a document."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="stages")
    attempt = models.PositiveIntegerField()
    name = models.CharField(max_length=20, choices=StageName.choices)
    state = models.CharField(max_length=20, choices=StageState.choices, default=StageState.RUNNING)
    started_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """With `done`: progress in the step's own unit (pages, chunks); 0 while unknown."""
    detail = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar = ["attempt", "started_at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["document", "attempt", "name"], name="one_stage_per_attempt"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.document_id}: {self.state}"
