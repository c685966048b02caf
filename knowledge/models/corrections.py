"""What people correct in the passages of a document, kept apart from what a parser read.

A reading may be repeated at any time; a correction is a patch that is put on it again.
"""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.constants import CorrectionState, RevisionKind
from knowledge.models.chunks import Chunk
from knowledge.models.documents import Document


class Correction(SpaceOwned):
    """What a person says about one passage: another text, or that it is not to be used."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="corrections")
    chunk = models.ForeignKey(
        Chunk, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    """The passage that shows it now; None while its place is lost."""
    state = models.CharField(
        max_length=20, choices=CorrectionState.choices, default=CorrectionState.APPLIED
    )
    original_text = models.TextField()
    """What the parser had read there."""
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)
    """The document's text around it: with `original_text` its anchor in another reading."""
    heading_path = models.JSONField(default=list)
    page = models.PositiveIntegerField(null=True)
    text = models.TextField()
    """What stands there instead; the same as `original_text` when only `is_enabled` is said."""
    is_enabled = models.BooleanField(default=True)
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["document", "page", "created_at"]
        verbose_name = _("correction")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["chunk"],
                condition=models.Q(state=CorrectionState.APPLIED),
                name="one_correction_per_chunk",
            )
        ]

    def __str__(self) -> str:
        return f"correction of {self.document_id}, page {self.page}"


class CorrectionRevision(SpaceOwned):
    """One text that a correction has or had."""

    correction = models.ForeignKey(Correction, on_delete=models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=20, choices=RevisionKind.choices, default=RevisionKind.EDIT)
    text = models.TextField()
    is_enabled = models.BooleanField(default=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["correction", "number"]
        verbose_name = _("revision of a correction")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["correction", "number"], name="one_correction_revision_per_number"
            )
        ]

    def __str__(self) -> str:
        return f"revision {self.number} of {self.correction_id}"
