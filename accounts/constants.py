"""Closed choices of accounts: roles, states."""

from django.db import models
from django.utils.translation import gettext_lazy as _, pgettext_lazy


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


class OrganisationRole(models.TextChoices):
    """What a space may do in an organisation."""

    ADMIN = "admin", _("Admin")
    EDITOR = "editor", _("Editor")
    VIEWER = "viewer", _("Viewer")


class SharePermission(models.TextChoices):
    """What a share lets the receiving spaces do."""

    EDITOR = "editor", _("Read and edit content")
    VIEWER = "viewer", pgettext_lazy("what a share allows", "Read")


class RequestState(models.TextChoices):
    """What became of a request to join."""

    PENDING = "pending", _("Waiting")
    APPROVED = "approved", _("Approved")
    REJECTED = "rejected", _("Rejected")
    WITHDRAWN = "withdrawn", _("Withdrawn")
