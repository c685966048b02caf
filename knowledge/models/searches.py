"""Searches that people, programs and agents made, kept for a while to be looked into."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.constants import SearchDoor


class SearchRecord(SpaceOwned):
    """One search with what became of each candidate. It holds ids and numbers, no text of documents.

    Read it through `knowledge.searches.reading`, which asks for permission on each document again.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+"
    )
    """Who searched. Null: a machine, see `principal`."""
    principal = models.CharField(max_length=80, blank=True)
    """Without a person: the key or external person, as `Actor.principal` says."""
    door = models.CharField(max_length=20, choices=SearchDoor.choices)
    run_id = models.UUIDField(null=True)
    """The run of an agent that searched. A plain value: runs stand above."""
    base_ids = ArrayField(models.UUIDField(), default=list)
    """The bases that were searched; some may be of spaces that share them."""
    question = models.TextField()
    settings = models.JSONField(default=dict)
    """`wished`: what the caller asked for; `effective`: with what it was searched."""
    scope = models.JSONField(default=dict)
    """`document_ids`, `whole_base_ids` and whatever else narrowed it; None: no limit."""
    confident = models.BooleanField(null=True)
    hits = models.JSONField(default=list)
    """rank, chunk_id, document_id, content_hash, score and `given`: whether a model got to read it
    (None where no model was asked)."""
    hit_count = models.PositiveIntegerField(default=0)
    trace = models.JSONField(default=dict)
    """A dump of `RetrievalTrace` with at most `MOST_CANDIDATES` candidates, hits first."""
    timings = models.JSONField(default=dict)
    """Milliseconds by stage."""
    warnings = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("recorded search")
        verbose_name_plural = _("recorded searches")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) ^ models.Q(principal=""),
                name="search_of_person_or_machine",
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["space", "-created_at"], name="search_newest"),
            GinIndex(fields=["base_ids"], name="search_of_bases"),
        ]

    def __str__(self) -> str:
        return f"search of {self.created_at:%Y-%m-%d %H:%M}"
