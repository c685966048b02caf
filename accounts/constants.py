"""Closed choices of accounts: roles, states."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """What a member may do in a space; see `RANK` for the order."""

    OWNER = "owner", _("Owner")
    ADMIN = "admin", _("Admin")
    CONTRIBUTOR = "contributor", _("Contributor")
    VIEWER = "viewer", _("Viewer")


RANK: dict[str, int] = {
    Role.OWNER: 40,
    Role.ADMIN: 30,
    Role.CONTRIBUTOR: 20,
    Role.VIEWER: 10,
}
"""A role may do all that roles of a lower rank may."""


class MembershipState(models.TextChoices):
    """Whether a membership counts."""

    ACTIVE = "active", _("Active")
    SUSPENDED = "suspended", _("Suspended")
