"""Building pages from documents: the queue, one run of it, what was read out of a document."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.models import Document, KnowledgeBase
from wiki.constants import OperationKind, OperationState


class WikiBuild(SpaceOwned):
    """One building that somebody or the clock started: its estimate, progress and end."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="wiki_builds")
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    estimate = models.JSONField(default=dict, blank=True)
    """What it was said to take before it began: documents, calls, tokens, money, seconds."""
    counts = models.JSONField(default=dict, blank=True)
    """What became of it so far: pages made, changed, proposed, refused by a guard, and so on."""
    log = models.JSONField(default=list, blank=True)
    """The last things to tell: [{"at", "page", "what", "detail"}], newest last, at most 200."""
    stop_asked_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("building of a wiki")
        verbose_name_plural = _("buildings of wikis")

    def __str__(self) -> str:
        return f"building of {self.base_id}"


class WikiOperation(SpaceOwned):
    """A document that waits to be built in or taken out."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    build = models.ForeignKey(
        WikiBuild, null=True, blank=True, on_delete=models.SET_NULL, related_name="operations"
    )
    document_id = models.UUIDField()
    """A plain value: what is to be taken out may be gone."""
    document_name = models.CharField(max_length=255, blank=True)
    kind = models.CharField(max_length=10, choices=OperationKind.choices)
    state = models.CharField(
        max_length=10, choices=OperationState.choices, default=OperationState.PENDING
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    not_before = models.DateTimeField()
    """Debounce, and pauses between tries."""
    claimed_at = models.DateTimeField(null=True, blank=True)
    claim = models.UUIDField(null=True, blank=True)
    """The batch that has it."""
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["created_at"]
        verbose_name = _("document to build into a wiki")
        verbose_name_plural = _("documents to build into wikis")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["document_id"],
                condition=models.Q(state="pending"),
                name="one_waiting_wiki_operation",
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["state", "not_before"], name="wiki_operation_next"),
            models.Index(fields=["base", "state"], name="wiki_operation_of_base"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.document_name}"


class WikiReading(SpaceOwned):
    """What a model read out of a document: subjects and the chunks that speak of each.

    Kept so that a killed or repeated building asks no model twice for the same text.
    """

    document = models.OneToOneField(Document, on_delete=models.CASCADE, related_name="+")
    made_from = models.CharField(max_length=64)
    """Hash of the chunks' texts, the settings and the prompts."""
    subjects = models.JSONField(default=list)
    """[{"slug", "name", "kind", "aliases", "description", "chunks": [ids]}]."""
    summary = models.JSONField(default=dict, blank=True)
    """{"title", "summary", "content"} of its summary page."""
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("reading of a document for a wiki")
        verbose_name_plural = _("readings of documents for wikis")

    def __str__(self) -> str:
        return f"reading of {self.document_id}"
