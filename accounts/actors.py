"""Makes the actor at each door: page, socket, job, command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor
from accounts.constants import MembershipState, Role
from accounts.models import Membership, User
from core.errors import NotFound

SPACE_SESSION_KEY = "space_id"


def actor_of(user: User, *, space_id: int) -> Actor:
    """Return the person as an actor of the space.

    Raises:
        NotFound: they are not an active member of it.
    """
    membership = active_memberships(user).filter(space_id=space_id).first()
    if membership is None:
        raise NotFound(_("There is no such space, or you are not a member of it."))
    return actor_by(membership)


def find_actor(user: User, *, space_id: int) -> Actor | None:
    """Return the person as an actor of the space, None when they are no active member of it."""
    membership = active_memberships(user).filter(space_id=space_id).first()
    return actor_by(membership) if membership is not None else None


def actor_by(membership: Membership) -> Actor:
    """Return the actor that an active membership makes of its person."""
    return Actor(
        kind="user",
        id=str(membership.user_id),
        user_id=membership.user_id,
        space_id=membership.space_id,
        role=Role(membership.role),
    )


def system_actor(*, space_id: int) -> Actor:
    """Return the platform itself working for a space: seeding, housekeeping."""
    return Actor(kind="system", id="system", space_id=space_id, role=Role.OWNER)


def active_memberships(user: User) -> QuerySet[Membership]:
    """Return the memberships by which the person may enter a space, oldest first."""
    return (
        Membership.objects.filter(user=user, state=MembershipState.ACTIVE, user__is_active=True)
        .select_related("space")
        .order_by("joined_at", "pk")
    )


def chosen_membership(
    user: User, *, session: Mapping[str, Any], memberships: Sequence[Membership]
) -> Membership | None:
    """Pick the session's space, else the last one, else the oldest; None without any.

    What session and `last_space` say is a wish: only a membership that is active now opens a space.
    """
    for wanted in (session.get(SPACE_SESSION_KEY), user.last_space_id):
        for membership in memberships:
            if membership.space_id == wanted:
                return membership
    return memberships[0] if memberships else None
