"""Knowledge bases: what belongs together, is searched together and is opened to the same people."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.constants import BaseKind


class KnowledgeBase(SpaceOwned):
    """A base of documents."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    kind = models.CharField(max_length=20, choices=BaseKind.choices, default=BaseKind.DOCUMENT)
    options = models.JSONField(default=dict, blank=True)
    """A dump of `knowledge.base_settings.BaseSettings`; read it through `base_settings_of`."""
    embedding_model = models.ForeignKey(
        "providers.AIModel", null=True, on_delete=models.PROTECT, related_name="+"
    )
    embedding_identity = models.CharField(max_length=200, blank=True)
    """Weights and engine that made the stored vectors; vectors of another one are not compared."""
    vector_store = models.ForeignKey(
        "knowledge.VectorStore", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    """Who is asked for near vectors; None: PostgreSQL, which keeps all vectors in any case."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    deleted_at = models.DateTimeField(null=True, blank=True)
    """Since when nobody sees it, while a job removes what it holds."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("knowledge base")
        verbose_name_plural = _("knowledge bases")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["space", "name"],
                condition=models.Q(deleted_at__isnull=True),
                name="one_base_per_name",
            )
        ]

    def __str__(self) -> str:
        return self.name
