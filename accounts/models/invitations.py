"""Invitations to spaces."""

from __future__ import annotations

import secrets
import uuid
from datetime import datetime, timedelta
from typing import ClassVar

from django.db import models
from django.utils import timezone

from accounts.constants import Role
from accounts.models.people import User
from accounts.models.spaces import Space

INVITATION_DAYS = 7
"""How long an invitation link works (the reference's WEKNORA_INVITATION_TTL, 168 h)."""


def invitation_token() -> str:
    """Return a new secret of 256 bits."""
    return secrets.token_urlsafe(32)


def invitation_end() -> datetime:
    """Return when an invitation made now ends."""
    return timezone.now() + timedelta(days=INVITATION_DAYS)


class Invitation(models.Model):
    """A link that lets its holder join a space."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="invitations")
    token = models.CharField(max_length=64, unique=True, default=invitation_token, editable=False)
    email = models.EmailField(blank=True)
    """Only this address may use it; blank: anyone with the link."""
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.CONTRIBUTOR)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(default=invitation_end)
    revoked_at = models.DateTimeField(null=True, blank=True)
    accepted_count = models.PositiveIntegerField(default=0)
    max_accepts = models.PositiveIntegerField(null=True, blank=True)
    """How many people may use a link without an address; None: any number."""
    declined_at = models.DateTimeField(null=True, blank=True)
    closed_to = models.ManyToManyField(User, blank=True, related_name="+")
    """Who was removed from the space while it was open: it lets them in no more."""

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"invitation to {self.space} as {self.role}"

    @property
    def is_open(self) -> bool:
        """Whether it can still be accepted. One to an address works once, a link for all often."""
        limit = 1 if self.email else self.max_accepts
        used_up = limit is not None and self.accepted_count >= limit
        ended = self.revoked_at is not None or self.declined_at is not None
        return not ended and self.expires_at > timezone.now() and not used_up
