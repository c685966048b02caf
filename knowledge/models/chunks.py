"""Chunks of documents and the indexes over them."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from core.tenancy import SpaceOwned
from knowledge.constants import ChunkKind
from knowledge.models.bases import KnowledgeBase
from knowledge.models.documents import Document, DocumentPicture


class Chunk(SpaceOwned):
    """A passage: what is found, read by a model, and cited."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="chunks")
    document_revision = models.PositiveIntegerField()
    kind = models.CharField(max_length=20, choices=ChunkKind.choices, default=ChunkKind.TEXT)
    position = models.PositiveIntegerField()
    """Order in the document among its kind, from 0."""
    text = models.TextField()
    content_hash = models.CharField(max_length=64)
    heading_path = models.JSONField(default=list)
    """Headings above the passage, outermost first."""
    page_from = models.PositiveIntegerField(null=True)
    page_to = models.PositiveIntegerField(null=True)
    box = models.JSONField(null=True)
    """left, top, right, bottom as fractions of the page, when it stands on one page."""
    char_start = models.PositiveIntegerField()
    char_end = models.PositiveIntegerField()
    """Offsets into the document's text."""
    is_enabled = models.BooleanField(default=True)
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="children"
    )
    """The section of a passage; the passage that a question, a picture's text, … leads to."""
    picture = models.ForeignKey(
        DocumentPicture, null=True, blank=True, on_delete=models.CASCADE, related_name="chunks"
    )
    faq_entry = models.ForeignKey(
        "knowledge.FaqEntry", null=True, blank=True, on_delete=models.CASCADE, related_name="chunks"
    )
    detail = models.JSONField(default=dict, blank=True)
    """Of made text: `origin` (model or person) and `source_hash` (the text that it was made from)."""
    version = models.PositiveIntegerField(default=1)
    """Grows with each change by a person; who saves names the one they saw."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["document", "position"]
        verbose_name = _("passage")
        verbose_name_plural = _("passages")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["document", "kind", "position"],
                deferrable=models.Deferrable.DEFERRED,
                name="one_chunk_per_position",
            )
        ]

    def __str__(self) -> str:
        return f"#{self.position + 1} of {self.document_id}"


class Embedding(SpaceOwned):
    """A chunk's vector by one model; two models may live side by side."""

    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="embeddings")
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    identity = models.CharField(max_length=200)
    """Weights and engine; only vectors of one identity are compared."""
    dimensions = models.PositiveSmallIntegerField()
    vector = HalfVectorField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["chunk", "identity"], name="one_vector_per_identity")
        ]
        indexes: ClassVar = [models.Index(fields=["base", "identity"], name="embedding_of_base")]

    def __str__(self) -> str:
        return f"{self.identity} vector of {self.chunk_id}"


class KeywordRow(SpaceOwned):
    """A chunk's terms, stripped of positions: narrow, so that a search reads little."""

    chunk = models.OneToOneField(Chunk, on_delete=models.CASCADE, related_name="keywords")
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    terms = SearchVectorField()
    analyzer_version = models.PositiveSmallIntegerField()

    class Meta:
        indexes: ClassVar = [GinIndex(fields=["terms"], name="keyword_terms")]

    def __str__(self) -> str:
        return f"terms of {self.chunk_id}"


class TermStatistic(SpaceOwned):
    """In how many chunks of a base a term occurs."""

    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    term = models.CharField(max_length=120)
    chunk_count = models.IntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["base", "term"], name="one_statistic_per_term")
        ]

    def __str__(self) -> str:
        return f"{self.term}: {self.chunk_count}"
