"""Keys for machines, and settings of the installation."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models.people import User
from accounts.models.spaces import Space
from core.secrets import EncryptedTextField


class ApiKey(models.Model):
    """A machine's way in. The key itself is shown once; only its hash is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(
        Space, null=True, blank=True, on_delete=models.CASCADE, related_name="api_keys"
    )
    """Null: a key of the platform."""
    name = models.CharField(_("name"), max_length=120)
    prefix = models.CharField(max_length=16)
    """The first characters, by which people recognise it."""
    key_hash = models.CharField(max_length=64, unique=True)
    """SHA-256 of the key, hexadecimal: the key has 256 random bits, so no slow hash is needed."""
    identity = models.UUIDField(default=uuid.uuid4, editable=False, db_index=True)
    """The same for a key and those it was rotated to: whose conversations they are."""
    signing_secret = EncryptedTextField(blank=True, default="")
    """With which the application signs the tokens of its users (HS256)."""
    capabilities = models.JSONField(default=list)
    """Names of `accounts.keys.capabilities.Capability`; what is not named is refused."""
    base_ids = models.JSONField(default=list, blank=True)
    """Only these bases; empty: all of the space."""
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    """Written at most once a minute."""
    replaced_by = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="replaces"
    )
    """The key made when this one was rotated."""

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class SystemSetting(models.Model):
    """A setting of the installation that an administrator changed; it beats the environment."""

    key = models.CharField(max_length=80, primary_key=True)
    value = models.JSONField(null=True)
    updated_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["key"]
        verbose_name = _("system setting")
        verbose_name_plural = _("system settings")

    def __str__(self) -> str:
        return self.key
