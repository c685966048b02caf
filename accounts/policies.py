"""Who may do what to spaces, members and invitations."""

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, RolePolicy, register
from accounts.constants import Role
from accounts.models import Invitation, Membership, Space


class SpacePolicy(RolePolicy):
    """Members see their space; its owner deletes it."""

    area = "spaces"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "change": Role.ADMIN,
        "manage": Role.ADMIN,
        "delete": Role.OWNER,
    }

    def space_lookup(self) -> str:
        """A space is its own space."""
        return "pk"


class MemberPolicy(RolePolicy):
    """Members see each other; admins manage (services keep them below their own role)."""

    area = "members"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "create": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
    }


class InvitationPolicy(MemberPolicy):
    """Invitations hold a secret link: only those who may invite see them."""

    area = "invitations"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.ADMIN,
        "create": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
    }


register(Space, SpacePolicy())
register(Membership, MemberPolicy())
register(Invitation, InvitationPolicy())
