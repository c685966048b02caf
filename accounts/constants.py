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


def roles_below(role: Role | None) -> tuple[Role, ...]:
    """Return the roles that somebody with `role` may give and take: below their own.

    Owners may give every role, so that a space can have a second owner or a new one.
    """
    if role == Role.OWNER:
        return tuple(Role)
    rank = RANK[role] if role else 0
    return tuple(one for one in Role if RANK[one] < rank)


class MembershipState(models.TextChoices):
    """Whether a membership counts."""

    ACTIVE = "active", _("Active")
    SUSPENDED = "suspended", _("Suspended")
