"""Roles of members, and the end of a membership."""

from __future__ import annotations

from django.db import transaction

from accounts.access import Actor, require
from accounts.constants import MembershipState, Role, roles_below
from accounts.models import Invitation, Membership, Space, User
from accounts.services.invitations import revoke_rows
from accounts.signals import membership_ended
from core.errors import AccessDenied, Conflict, Invalid, NotFound


@transaction.atomic
def change_role(actor: Actor, *, membership_id: int, role: str) -> Membership:
    """Give a member another role and return the membership.

    Raises:
        NotFound: no such member in the actor's space.
        AccessDenied: the member's role, now or then, is not below the actor's own.
        Invalid: there is no such role.
        Conflict: it would leave the space without an owner.
    """
    _lock_space(actor.space_id)
    membership = _get_membership(actor, membership_id)
    require(actor, "change", membership)
    if role not in Role.values:
        raise Invalid(f"There is no role {role!r}; choose one of {', '.join(Role.values)}.")
    if Role(role) not in roles_below(actor.role):
        raise AccessDenied("You can give only roles below your own.")
    if role == membership.role:
        return membership
    require_another_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    _revoke_invitations_above(membership)
    return membership


@transaction.atomic
def remove_member(actor: Actor, *, membership_id: int) -> Membership:
    """Take a member out of the space, with all that still points there; return who it was.

    Raises:
        NotFound: no such member in the actor's space.
        AccessDenied: the member's role is not below the actor's own.
        Conflict: it is the space's only owner.
    """
    _lock_space(actor.space_id)
    membership = _get_membership(actor, membership_id)
    require(actor, "delete", membership)
    end_membership(membership)
    return membership


@transaction.atomic
def leave_space(user: User, *, space_id: int) -> Space:
    """End the person's own membership; return the space they left.

    Raises:
        NotFound: they are not a member.
        Conflict: they are its only owner.
    """
    _lock_space(space_id)
    membership = Membership.objects.filter(space_id=space_id, user=user).first()
    if membership is None:
        raise NotFound("There is no such space, or you are not a member of it.")
    end_membership(membership)
    return membership.space


def end_membership(membership: Membership) -> None:
    """Delete a membership, the person's pointer to the space and invitations of and to them.

    The session's pointer ends with the next request: `accounts.middleware` forgets a space whose
    member the person is not. Call it in a transaction that holds the space's lock.
    """
    require_another_owner(membership)
    user, space_id = membership.user, membership.space_id
    membership.delete()
    User.objects.filter(pk=user.pk, last_space_id=space_id).update(last_space=None)
    invitations = Invitation.objects.filter(space_id=space_id)
    revoke_rows(invitations.filter(email__iexact=user.email))
    revoke_rows(invitations.filter(invited_by=user))
    transaction.on_commit(
        lambda: membership_ended.send(Membership, space_id=space_id, user_id=user.pk)
    )


def require_another_owner(membership: Membership) -> None:
    """Return when the space has an owner besides this one.

    Raises:
        Conflict: it has none, and would belong to nobody.
    """
    if is_last_owner(membership):
        raise Conflict(f"{membership.user} is the only owner. Make somebody else an owner first.")


def is_last_owner(membership: Membership) -> bool:
    """Say whether the space would belong to nobody without this membership."""
    if membership.role != Role.OWNER:
        return False
    owners = Membership.objects.filter(
        space_id=membership.space_id,
        role=Role.OWNER,
        state=MembershipState.ACTIVE,
        user__is_active=True,
    )
    return not owners.exclude(pk=membership.pk).exists()


def _lock_space(space_id: int) -> None:
    """Let changes of a space's members take turns: two owners must not leave at once."""
    Space.objects.select_for_update().filter(pk=space_id).first()


def _get_membership(actor: Actor, membership_id: int) -> Membership:
    rows = Membership.objects.filter(space_id=actor.space_id).select_related("user", "space")
    membership = rows.filter(pk=membership_id).first()
    if membership is None:
        raise NotFound("There is no such member.")
    return membership


def _revoke_invitations_above(membership: Membership) -> None:
    """Revoke the invitations that the person could no longer make with their role."""
    rows = Invitation.objects.filter(space_id=membership.space_id, invited_by=membership.user_id)
    if membership.role in (Role.OWNER, Role.ADMIN):
        rows = rows.exclude(role__in=roles_below(Role(membership.role)))
    revoke_rows(rows)
