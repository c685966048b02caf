"""Evidence: what an answer or a wiki sentence rests on, kept as it was read."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models

from core.tenancy import SpaceOwned


class EvidenceRow(SpaceOwned):
    """One cited passage. It never points to a live chunk only: the bytes are kept here.

    Ids are plain values, not foreign keys: the evidence outlives chunk, document and base. Read it
    through `knowledge.evidence`, which asks for permission on the source again.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    origin_id = models.UUIDField()
    """The message (or page revision) that cites."""
    marker = models.PositiveIntegerField()
    """The number in the text, from 1."""
    base_id = models.UUIDField()
    document_id = models.UUIDField()
    document_name = models.CharField(max_length=255)
    document_revision = models.PositiveIntegerField()
    chunk_id = models.UUIDField()
    chunk_hash = models.CharField(max_length=64)
    heading_path = models.JSONField(default=list)
    page_from = models.PositiveIntegerField(null=True)
    page_to = models.PositiveIntegerField(null=True)
    box = models.JSONField(null=True)
    text = models.TextField(blank=True)
    """The passage; blank after erasure on request, while the hash stays."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["origin_id", "marker"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["origin_id", "marker"], name="one_evidence_per_marker")
        ]
        indexes: ClassVar = [models.Index(fields=["document_id"], name="evidence_of_document")]

    def __str__(self) -> str:
        return f"[{self.marker}] {self.document_name}"
