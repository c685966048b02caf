"""How the sandboxes of a space are set up, and which workspaces live in them."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.secrets import EncryptedTextField
from core.tenancy import SpaceOwned
from sandbox import skill_models as skill_models
from sandbox.constants import Backend, SessionState


class SandboxConfig(SpaceOwned):
    """One way for the agents of a space to run code. Its secrets go in and never come out."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=100)
    backend = models.CharField(_("kind"), max_length=20, choices=Backend.choices)
    settings = models.JSONField(default=dict, blank=True)
    """What the backend's kind needs: an address, an image, a template."""
    api_key = EncryptedTextField(blank=True, default="")
    limits = models.JSONField(default=dict, blank=True)
    """Fields of `sandbox.contract.SandboxLimits` that differ from its defaults."""
    environment = EncryptedTextField(blank=True, default="")
    """JSON object of variables that every command gets."""
    idle_minutes = models.PositiveIntegerField(_("minutes without use"), default=30)
    """A workspace that nobody used for so long is removed."""
    is_default = models.BooleanField(_("default"), default=False)
    archived_at = models.DateTimeField(null=True, blank=True)
    """Since then no agent may use it; its workspaces were removed."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("sandbox")
        verbose_name_plural = _("sandboxes")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["space", "name"],
                condition=Q(archived_at=None),
                name="one_sandbox_config_per_name",
            ),
            models.UniqueConstraint(
                fields=["space"],
                condition=Q(is_default=True, archived_at=None),
                name="one_default_sandbox_config",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class SandboxSession(SpaceOwned):
    """The workspace of one conversation in one sandbox; files in it persist, processes do not."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation_id = models.UUIDField()
    """Opaque here; conversations are the business of the agents above."""
    user_id = models.BigIntegerField(null=True, blank=True)
    """Whose conversation it is; for the inventory."""
    config = models.ForeignKey(
        SandboxConfig, null=True, blank=True, on_delete=models.CASCADE, related_name="sessions"
    )
    """None: the installation's default sandbox."""
    backend = models.CharField(max_length=20, choices=Backend.choices)
    key = models.CharField(max_length=64, unique=True)
    """Its name in the backend."""
    state = models.CharField(max_length=10, choices=SessionState.choices, default=SessionState.LIVE)
    epoch = models.PositiveIntegerField(default=1)
    """Grows each time it had to be started anew, and with it every file may have gone."""
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField()
    last_used_at = models.DateTimeField()
    busy_until = models.DateTimeField(null=True, blank=True)
    """While a command runs: when it is over at the latest. Nobody removes the workspace before."""
    expires_at = models.DateTimeField()
    """Latest end, however much it is used."""

    class Meta:
        ordering: ClassVar = ["-last_used_at"]
        verbose_name = _("workspace")
        verbose_name_plural = _("workspaces")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["space", "conversation_id", "config"],
                condition=Q(state=SessionState.LIVE, config__isnull=False),
                name="one_workspace_per_conversation",
            ),
            models.UniqueConstraint(
                fields=["space", "conversation_id"],
                condition=Q(state=SessionState.LIVE, config=None),
                name="one_default_workspace_per_conversation",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["state", "last_used_at"], name="workspace_idle"),
        ]

    def __str__(self) -> str:
        return self.key
