"""Documents and the timeline of how each one was read."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.secrets import EncryptedTextField
from core.tenancy import SpaceOwned
from knowledge.constants import (
    BatchState,
    DocumentSource,
    DocumentState,
    EnrichmentState,
    StageName,
    StageState,
)
from knowledge.models.bases import KnowledgeBase


class IngestBatch(SpaceOwned):
    """Files that were put in together: what they may cost, and when to stop."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="batches")
    state = models.CharField(max_length=20, choices=BatchState.choices, default=BatchState.RUNNING)
    estimate = models.JSONField(default=dict, blank=True)
    """documents, bytes, minutes, tokens, cents: shown before a large batch begins."""
    uploads = models.JSONField(default=dict, blank=True)
    """What the browser told: `is_complete`, when no more files come; `failed`, those that did not arrive."""
    cap_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    cap_cents = models.PositiveBigIntegerField(null=True, blank=True)
    """What all models together may use; at it the batch pauses and says so."""
    spent_tokens = models.PositiveBigIntegerField(default=0)
    spent_cents = models.DecimalField(max_digits=18, decimal_places=6, default=0)
    """One call costs a fraction of a cent."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("batch of uploads")

    def __str__(self) -> str:
        return f"batch of {self.created_at:%Y-%m-%d %H:%M}"


class Document(SpaceOwned):
    """A file, page or text that somebody put into a base."""

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
    version = models.PositiveIntegerField(default=1)
    """Number of the newest `DocumentVersion`: grows when another file takes this one's place."""
    source = models.CharField(
        max_length=20, choices=DocumentSource.choices, default=DocumentSource.FILE
    )
    source_url = models.TextField(blank=True)
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="members"
    )
    batch = models.ForeignKey(
        IngestBatch, null=True, blank=True, on_delete=models.SET_NULL, related_name="documents"
    )
    is_draft = models.BooleanField(default=False)
    """Written here and not published: nobody but its editors finds it."""
    password = EncryptedTextField(blank=True)
    """Opens an encrypted file; never shown, only used by the parser."""
    processing = models.JSONField(default=dict, blank=True)
    """What this upload sets differently from its base; a part of a dump of `BaseSettings`."""
    language = models.CharField(max_length=10, blank=True)
    """ISO 639 code found in the text."""
    confidence = models.FloatField(null=True, blank=True)
    """How well the file was read, 0..1: the mean over its pages (`PageHealth`)."""
    enrichment = models.CharField(
        max_length=20, choices=EnrichmentState.choices, default=EnrichmentState.NONE
    )
    summary = models.TextField(blank=True)
    summary_is_edited = models.BooleanField(default=False)
    """A person wrote it: no model overwrites it."""
    metadata = models.JSONField(default=dict, blank=True)
    """A person's own fields: up to 20 keys with text, numbers or yes/no."""
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """Who answers for the content."""
    review_by = models.DateField(null=True, blank=True)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    trashed_at = models.DateTimeField(null=True, blank=True)
    """Since when it is in the trash, out of everybody's search; gone after `TRASH_DAYS`."""
    trashed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["-created_at", "name"]
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        indexes: ClassVar = [
            models.Index(fields=["base", "-created_at"], name="document_newest"),
            models.Index(fields=["base", "content_hash"], name="document_same_file"),
            models.Index(fields=["state"], name="document_state"),
            models.Index(fields=["base", "folder_path"], name="document_folder"),
            models.Index(fields=["trashed_at"], name="document_trash"),
        ]

    def __str__(self) -> str:
        return self.name


class DocumentVersion(SpaceOwned):
    """A file that a document is or was; the newest is what the document's own columns say."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=255)
    content_hash = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    file_type = models.CharField(max_length=20, blank=True)
    note = models.CharField(max_length=500, blank=True)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["document", "-number"]
        verbose_name = _("version of a document")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["document", "number"], name="one_version_per_number")
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.number}"


class PageHealth(SpaceOwned):
    """How well one page was read, by the last attempt that read it."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="pages")
    page = models.PositiveIntegerField()
    """From 1; files without pages have the one page 1."""
    confidence = models.FloatField()
    """0..1, see `knowledge.ingest.health`."""
    signals = models.JSONField(default=dict)
    """The figures behind it: density, replaced, grid, language, ocr."""
    parser = models.CharField(max_length=60)

    class Meta:
        ordering: ClassVar = ["document", "page"]
        verbose_name = _("health of a page")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["document", "page"], name="one_health_per_page")
        ]

    def __str__(self) -> str:
        return f"page {self.page} of {self.document_id}: {self.confidence:.2f}"


class DocumentPicture(SpaceOwned):
    """A picture inside of a document; the same one on several pages stands once."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="pictures")
    content_hash = models.CharField(max_length=64)
    """SHA-256 of its bytes; also its key in the store."""
    media_type = models.CharField(max_length=40)
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    size_bytes = models.PositiveBigIntegerField()
    page = models.PositiveIntegerField(null=True)
    box = models.JSONField(null=True)
    alternative_text = models.TextField(blank=True)
    """What the file itself says about it."""
    ocr_text = models.TextField(blank=True)
    caption = models.TextField(blank=True)
    """By a vision model, or by a person."""
    caption_is_edited = models.BooleanField(default=False)

    class Meta:
        ordering: ClassVar = ["document", "page", "pk"]
        verbose_name = _("picture")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["document", "content_hash"], name="one_picture_per_content"
            )
        ]

    def __str__(self) -> str:
        return f"picture of {self.document_id} ({self.width} x {self.height})"


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
    """Sizes of what went in and out, the model, tokens, tries."""
    error_code = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    """Why it failed, for people."""

    class Meta:
        ordering: ClassVar = ["attempt", "started_at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["document", "attempt", "name"], name="one_stage_per_attempt"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.document_id}: {self.state}"
