"""The models a space may use."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.secrets import EncryptedTextField
from core.tenancy import SpaceOwned
from providers.constants import ModelType, Provider


class AIModel(SpaceOwned):
    """One model behind one address. Its secrets go in and never come out."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=200)
    type = models.CharField(_("type"), max_length=20, choices=ModelType.choices)
    provider = models.CharField(_("service"), max_length=30, choices=Provider.choices)
    model_id = models.CharField(_("model"), max_length=200)
    """The service's own name for it."""
    base_url = models.CharField(_("URL"), max_length=500, blank=True)
    api_key = EncryptedTextField(blank=True, default="")
    extra_headers = EncryptedTextField(blank=True, default="")
    """JSON object of header names and values."""
    parameters = models.JSONField(default=dict, blank=True)
    """A dump of `providers.parameters.ModelParameters`."""
    is_default = models.BooleanField(_("default of its type"), default=False)
    is_enabled = models.BooleanField(_("enabled"), default=True)
    builtin_key = models.CharField(max_length=60, blank=True)
    """Its name in `builtin_models.yaml`; blank for models that people added."""
    max_concurrency = models.PositiveIntegerField(_("calls at once in the background"), default=4)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["type", "name"]
        verbose_name = _("model")
        verbose_name_plural = _("models")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["space", "type"], condition=Q(is_default=True), name="one_default_model"
            ),
            models.UniqueConstraint(
                fields=["space", "builtin_key"],
                condition=~Q(builtin_key=""),
                name="one_builtin_model_per_space",
            ),
        ]

    def __str__(self) -> str:
        return self.name
