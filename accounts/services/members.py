"""Members of a space: their role, whether they may enter, and the end of a membership."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group
from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.actors import actor_by
from accounts.constants import MembershipState, Role, roles_below
from accounts.invitation_doors import close_links_to
from accounts.models import Invitation, Membership, Space, SpaceGroup, User
from accounts.notices.membership import tell_of_end, tell_of_role, tell_of_state
from accounts.services.audit import record_audit
from accounts.services.invitations import revoke_rows
from accounts.signals import membership_ended, membership_paused
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from core.tenancy import space_scope


@transaction.atomic
def change_role(actor: Actor, *, membership_id: int, role: str) -> Membership:
    """Give a member another role and return the membership.

    Raises:
        NotFound: no such member in the actor's space.
        AccessDenied: the member's role, now or then, is not below the actor's own.
        Invalid: there is no such role.
        Conflict: it would leave the space without an owner.
    """
    lock_space(actor.space_id)
    membership = get_membership(actor, membership_id)
    require(actor, "change", membership)
    if role not in Role.values:
        raise Invalid(f"There is no role {role!r}; choose one of {', '.join(Role.values)}.")
    if Role(role) not in roles_below(actor.role):
        raise AccessDenied(
            _("You can give only roles below your own."),
            attempted="members.change",
            target=membership,
        )
    if role != membership.role:
        require_another_owner(membership)
        set_role(actor, membership, role)
    return membership


@transaction.atomic
def hand_over(actor: Actor, *, membership_id: int) -> Membership:
    """Make another member an owner and the actor an admin: the space changes hands.

    Raises:
        NotFound: no such member in the actor's space.
        AccessDenied: the actor is no owner.
        Conflict: it is the actor, or the member is suspended or switched off.
    """
    space = lock_space(actor.space_id)
    require(actor, "delete", space)
    membership = get_membership(actor, membership_id)
    if membership.user_id == actor.user_id:
        raise Conflict(_("The space is yours already. Choose somebody else."))
    if membership.state != MembershipState.ACTIVE or not membership.user.is_active:
        raise Conflict(
            _("%(person)s cannot enter the space now. Choose somebody else.")
            % {"person": membership.user}
        )
    own = _own_membership(actor)
    record_audit(actor, "space.hand_over", target=membership, person=str(membership.user))
    set_role(actor, membership, Role.OWNER)
    set_role(actor, own, Role.ADMIN)
    return membership


@transaction.atomic
def suspend_member(actor: Actor, *, membership_id: int) -> Membership:
    """Keep a member out until they are let in again; what they have stays theirs.

    Raises:
        NotFound, AccessDenied, Conflict: as for `remove_member`.
    """
    lock_space(actor.space_id)
    membership = get_membership(actor, membership_id)
    require(actor, "change", membership)
    if membership.state == MembershipState.ACTIVE:
        require_another_owner(membership)
        _set_state(actor, membership, MembershipState.SUSPENDED)
        User.objects.filter(pk=membership.user_id, last_space_id=actor.space_id).update(
            last_space=None
        )
        space_id, user_id = membership.space_id, membership.user_id
        transaction.on_commit(
            lambda: membership_paused.send(Membership, space_id=space_id, user_id=user_id)
        )
    return membership


@transaction.atomic
def let_member_in(actor: Actor, *, membership_id: int) -> Membership:
    """End a suspension.

    Raises:
        NotFound, AccessDenied: as for `remove_member`.
    """
    lock_space(actor.space_id)
    membership = get_membership(actor, membership_id)
    require(actor, "change", membership)
    if membership.state != MembershipState.ACTIVE:
        _set_state(actor, membership, MembershipState.ACTIVE)
    return membership


@transaction.atomic
def remove_member(actor: Actor, *, membership_id: int) -> Membership:
    """Take a member out of the space, with all that still points there; return who it was.

    They do not come back by a link that is open now.

    Raises:
        NotFound: no such member in the actor's space.
        AccessDenied: the member's role is not below the actor's own.
        Conflict: it is the space's only owner.
    """
    lock_space(actor.space_id)
    membership = get_membership(actor, membership_id)
    require(actor, "delete", membership)
    record_audit(actor, "member.remove", target=membership, **_who(membership))
    end_membership(membership)
    close_links_to(membership.user, space_id=membership.space_id)
    tell_of_end(membership)
    return membership


@transaction.atomic
def leave_space(user: User, *, space_id: int) -> Space:
    """End the person's own membership; return the space they left.

    Raises:
        NotFound: they are not a member.
        Conflict: they are its only owner.
    """
    lock_space(space_id)
    membership = Membership.objects.filter(space_id=space_id, user=user).first()
    if membership is None:
        raise NotFound(_("There is no such space, or you are not a member of it."))
    record_audit(actor_by(membership), "member.leave", target=membership, **_who(membership))
    end_membership(membership)
    return membership.space


def end_membership(membership: Membership) -> None:
    """Delete a membership, what points from the person to the space, and invitations of and to them.

    The session's pointer ends with the next request: `accounts.middleware` forgets a space whose
    member the person is not. Call it in a transaction that holds the space's lock.
    """
    require_another_owner(membership)
    user, space_id = membership.user, membership.space_id
    membership.delete()
    User.objects.filter(pk=user.pk, last_space_id=space_id).update(last_space=None)
    with space_scope(space_id):
        groups = SpaceGroup.objects.filter(auth_group__user=user).values_list(
            "auth_group", flat=True
        )
        user.groups.remove(*Group.objects.filter(pk__in=list(groups)))
    invitations = Invitation.objects.filter(space_id=space_id)
    revoke_rows(invitations.filter(email__iexact=user.email))
    revoke_rows(invitations.filter(invited_by=user))
    announce_end(space_id=space_id, user_id=user.pk)


def announce_end(*, space_id: int, user_id: int) -> None:
    """Say on commit that somebody is no member any more: what is open for them closes."""
    transaction.on_commit(
        lambda: membership_ended.send(Membership, space_id=space_id, user_id=user_id)
    )


def require_another_owner(membership: Membership) -> None:
    """Return when the space has an owner besides this one.

    Raises:
        Conflict: it has none, and would belong to nobody.
    """
    if is_last_owner(membership):
        raise Conflict(
            _("%(person)s is the only owner. Make somebody else an owner first.")
            % {"person": membership.user}
        )


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


def lock_space(space_id: int) -> Space:
    """Let changes of a space's members take turns: two owners must not leave at once.

    Raises:
        NotFound: the space is gone.
    """
    space = Space.objects.select_for_update().filter(pk=space_id).first()
    if space is None:
        raise NotFound(_("There is no such space, or you are not a member of it."))
    return space


def get_membership(actor: Actor, membership_id: int) -> Membership:
    """Return a member of the actor's space.

    Raises:
        NotFound: there is none.
    """
    rows = Membership.objects.filter(space_id=actor.space_id).select_related("user", "space")
    membership = rows.filter(pk=membership_id).first()
    if membership is None:
        raise NotFound(_("There is no such member."))
    return membership


def _own_membership(actor: Actor) -> Membership:
    rows = Membership.objects.filter(space_id=actor.space_id).select_related("user", "space")
    membership = rows.filter(user_id=actor.user_id).first() if actor.user_id is not None else None
    if membership is None:
        raise AccessDenied(
            _("Only a person can hand their space over."), attempted="space.hand_over"
        )
    return membership


def set_role(actor: Actor, membership: Membership, role: str) -> None:
    """Write the role down, in the audit too, and revoke invitations that no longer fit it."""
    old, membership.role = membership.role, role
    membership.save(update_fields=["role"])
    record_audit(
        actor,
        "member.role",
        target=membership,
        person=str(membership.user),
        person_id=membership.user_id,
        old=old,
        new=role,
    )
    _revoke_invitations_above(membership)
    if membership.user_id != actor.user_id:
        tell_of_role(membership)


def _set_state(actor: Actor, membership: Membership, state: MembershipState) -> None:
    old, membership.state = membership.state, state
    membership.save(update_fields=["state"])
    action = "member.suspend" if state == MembershipState.SUSPENDED else "member.let_in"
    record_audit(actor, action, target=membership, old=old, new=state, **_who(membership))
    tell_of_state(membership)


def _who(membership: Membership) -> dict[str, Any]:
    return {
        "person": str(membership.user),
        "person_id": membership.user_id,
        "role": membership.role,
    }


def _revoke_invitations_above(membership: Membership) -> None:
    """Revoke the invitations that the person could no longer make with their role."""
    rows = Invitation.objects.filter(space_id=membership.space_id, invited_by=membership.user_id)
    if membership.role in (Role.OWNER, Role.ADMIN):
        rows = rows.exclude(role__in=roles_below(Role(membership.role)))
    revoke_rows(rows)
