"""Spaces and who works in them."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.auth.models import Group
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.constants import MembershipState, Role
from accounts.models.people import User
from core.tenancy import SpaceOwned


class Space(models.Model):
    """A workspace that owns everything below it (the reference says tenant)."""

    name = models.CharField(_("name"), max_length=200)
    description = models.TextField(_("description"), blank=True)
    owners_may_open_conversations = models.BooleanField(
        _("owners may open others' conversations"), default=False
    )
    """Off: a conversation is its person's alone. On: each opening is in the audit log."""
    requires_two_factor = models.BooleanField(_("members need two-factor"), default=False)
    """On: who has no second factor is led to set one up before they enter the space."""
    auto_accept_invitations = models.BooleanField(_("invited people join at once"), default=False)
    """On: inviting somebody who has an account makes them a member without being asked."""
    storage_quota_bytes = models.PositiveBigIntegerField(_("storage quota"), null=True, blank=True)
    """None: the installation's default; 0: no limit."""
    audit_days = models.PositiveIntegerField(null=True, blank=True)
    """Days for which audit events are kept; None: the installation's default; 0: for ever."""
    language = models.CharField(_("language"), max_length=10, blank=True)
    """Of mails to people whose own is not known; blank: the language of who causes the mail."""
    legal_hold = models.BooleanField(_("legal hold"), default=False)
    """Nothing of the space is erased while this is set."""
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    members: models.ManyToManyField[User, Membership] = models.ManyToManyField(
        User, through="Membership", through_fields=("space", "user"), related_name="spaces"
    )

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in a space."""

    space = models.ForeignKey(Space, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=Role.choices, default=Role.CONTRIBUTOR)
    state = models.CharField(
        max_length=20, choices=MembershipState.choices, default=MembershipState.ACTIVE
    )
    joined_at = models.DateTimeField(auto_now_add=True)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["space", "user"], name="one_membership_per_space")
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.space}: {self.role}"


class SpaceGroup(SpaceOwned):
    """Members of a space to whom access is given together, such as a department."""

    name = models.CharField(_("name"), max_length=120)
    description = models.TextField(_("description"), blank=True)
    auth_group = models.OneToOneField(Group, on_delete=models.CASCADE, related_name="+")
    """Django's group, which holds the members (`User.groups`) and the object grants."""
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("group")
        verbose_name_plural = _("groups")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["space", "name"], name="one_group_per_name")
        ]

    def __str__(self) -> str:
        return self.name
