"""Organisations: spaces that share bases and agents with each other."""

from __future__ import annotations

import secrets
import uuid
from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.constants import OrganisationRole, RequestState
from accounts.models.people import User
from accounts.models.spaces import Space


def _code() -> str:
    return secrets.token_hex(8)


class Organisation(models.Model):
    """A circle of spaces. Its members are spaces, never people."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=255)
    description = models.TextField(_("description"), blank=True, max_length=1000)
    owner_space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    invite_code = models.CharField(max_length=32, unique=True, default=_code)
    invite_code_expires_at = models.DateTimeField(null=True, blank=True)
    """None: it does not expire."""
    require_approval = models.BooleanField(_("joining needs approval"), default=True)
    is_searchable = models.BooleanField(_("can be found by its name"), default=False)
    member_limit = models.PositiveIntegerField(_("maximum number of spaces"), default=50)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("organisation")
        verbose_name_plural = _("organisations")

    def __str__(self) -> str:
        return self.name


class OrganisationSpace(models.Model):
    """A space in an organisation, with its role there."""

    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="members")
    member = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="organisations")
    role = models.CharField(
        max_length=12, choices=OrganisationRole.choices, default=OrganisationRole.VIEWER
    )
    representative = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    """Who brought the space in; for information."""
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organisation", "member"], name="one_place_per_organisation"
            )
        ]

    def __str__(self) -> str:
        return f"{self.member} in {self.organisation}: {self.role}"


class JoinRequest(models.Model):
    """A space that wants to join, or wants a higher role."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey(
        Organisation, on_delete=models.CASCADE, related_name="requests"
    )
    member = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="+")
    requested_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    role = models.CharField(
        max_length=12, choices=OrganisationRole.choices, default=OrganisationRole.VIEWER
    )
    message = models.CharField(max_length=500, blank=True)
    state = models.CharField(
        max_length=12, choices=RequestState.choices, default=RequestState.PENDING
    )
    decided_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organisation", "member"],
                condition=models.Q(state="pending"),
                name="one_open_request_per_space",
            )
        ]

    def __str__(self) -> str:
        return f"{self.member} → {self.organisation}: {self.state}"
