"""Makes the actor at each door: page, socket, job, command."""

from __future__ import annotations

from django.db.models import QuerySet

from accounts.access import Actor
from accounts.constants import MembershipState, Role
from accounts.models import Membership, User
from core.errors import NotFound


def actor_of(user: User, *, space_id: int) -> Actor:
    """Return the person as an actor of the space.

    Raises:
        NotFound: they are not an active member of it.
    """
    membership = active_memberships(user).filter(space_id=space_id).first()
    if membership is None:
        raise NotFound("There is no such space, or you are not a member of it.")
    return Actor(
        kind="user",
        id=str(user.pk),
        user_id=user.pk,
        space_id=space_id,
        role=Role(membership.role),
    )


def system_actor(*, space_id: int) -> Actor:
    """Return the platform itself working for a space: seeding, housekeeping."""
    return Actor(kind="system", id="system", space_id=space_id, role=Role.OWNER)


def active_memberships(user: User) -> QuerySet[Membership]:
    """Return the memberships by which the person may enter a space, oldest first."""
    return (
        Membership.objects.filter(
            user=user, state=MembershipState.ACTIVE, user__is_active=True
        )
        .select_related("space")
        .order_by("joined_at", "pk")
    )
