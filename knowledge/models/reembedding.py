"""Changes of a base's embedding model: the vectors of another model beside those it compares now."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.constants import OPEN_CHANGES, EmbeddingChangeState
from knowledge.models.bases import KnowledgeBase


class EmbeddingChange(SpaceOwned):
    """One change of the model that a base compares vectors of; both sets of vectors stand until it ends."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(
        KnowledgeBase, on_delete=models.CASCADE, related_name="embedding_changes"
    )
    from_model = models.ForeignKey(
        "providers.AIModel", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    """None once the change has ended: it must not keep a model from being deleted."""
    from_name = models.CharField(max_length=200)
    from_identity = models.CharField(max_length=200)
    to_model = models.ForeignKey(
        "providers.AIModel", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    to_name = models.CharField(max_length=200)
    to_identity = models.CharField(max_length=200)
    state = models.CharField(
        max_length=12, choices=EmbeddingChangeState.choices, default=EmbeddingChangeState.BUILDING
    )
    wants_switch = models.BooleanField(default=False)
    """A person asked to cut over or to undo; it is done as soon as no vector is missing."""
    reason = models.TextField(blank=True)
    """Why it failed, or what holds it up; for people."""
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """Passages with a vector of the model that is caught up with, and all."""
    spent_tokens = models.PositiveBigIntegerField(default=0)
    """Estimated, of all calls for this change."""
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    ready_at = models.DateTimeField(null=True, blank=True)
    switched_at = models.DateTimeField(null=True, blank=True)
    """When the base last began to compare vectors of the other model."""
    ended_at = models.DateTimeField(null=True, blank=True)
    kept_until = models.DateTimeField(null=True, blank=True)
    """While it is live: when it ends by itself. Ended: when the vectors left over are removed."""
    forgotten_at = models.DateTimeField(null=True, blank=True)
    """Since when the vectors left over are gone."""

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("change of the embedding model")
        verbose_name_plural = _("changes of the embedding model")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["base"],
                condition=models.Q(state__in=OPEN_CHANGES),
                name="one_open_embedding_change",
            )
        ]

    def __str__(self) -> str:
        return f"{self.from_name} → {self.to_name} ({self.state})"

    @property
    def is_open(self) -> bool:
        """Whether it goes on."""
        return self.state in OPEN_CHANGES

    @property
    def other_identity(self) -> str:
        """Whose vectors stand beside those that are compared now; once it has ended: are left over."""
        beside_old = (EmbeddingChangeState.LIVE, EmbeddingChangeState.FINISHED)
        return self.from_identity if self.state in beside_old else self.to_identity
