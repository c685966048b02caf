"""Who may do what to spaces, members and invitations."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from django.db.models import Q

from accounts.access import Action, Actor, Clause, RolePolicy, register
from accounts.constants import Role, roles_below
from accounts.models import AuditEvent, Invitation, Membership, Space, SpaceGroup


class SpacePolicy(RolePolicy):
    """Members see their space; its owner deletes it."""

    area = "spaces"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "change": Role.ADMIN,
        "manage": Role.ADMIN,
        "share": Role.OWNER,  # let its owners open others' conversations
        "delete": Role.OWNER,
    }

    def space_lookup(self) -> str:
        """A space is its own space."""
        return "pk"


class _BelowOwnRolePolicy(RolePolicy):
    """What carries a role is managed by those above it."""

    limited: ClassVar[frozenset[Action]]

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Narrow the role's permission to rows of lower roles."""
        found = super().clauses(actor, action)
        if action not in self.limited:
            return found
        where = Q(role__in=roles_below(actor.role))
        return [Clause(effect=one.effect, reason=one.reason, where=where) for one in found]


class MemberPolicy(_BelowOwnRolePolicy):
    """Members see each other; admins manage those below their own role."""

    area = "members"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "create": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
    }
    limited = frozenset({"change", "delete"})


class InvitationPolicy(_BelowOwnRolePolicy):
    """Who sees an invitation holds its secret link: only those who could have made it do."""

    area = "invitations"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.ADMIN,
        "create": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
    }
    limited = frozenset({"view", "change", "delete"})


class GroupPolicy(RolePolicy):
    """Members see the groups; admins make them and say who is in them."""

    area = "groups"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "create": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
    }


class AuditPolicy(RolePolicy):
    """Admins read what was done and refused in the space; nobody changes it."""

    area = "audit"
    minimum: ClassVar[Mapping[Action, Role]] = {"view": Role.ADMIN}


register(Space, SpacePolicy())
register(Membership, MemberPolicy())
register(Invitation, InvitationPolicy())
register(SpaceGroup, GroupPolicy())
register(AuditEvent, AuditPolicy())
