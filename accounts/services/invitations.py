"""Invitations: made, looked up by their secret link, accepted, revoked, sent again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.constants import MembershipState, Role, roles_below
from accounts.invitation_doors import require_not_paused, require_open_to
from accounts.models import INVITATION_DAYS, Invitation, Membership, Space, User
from accounts.notices.invitation import mail_invitation
from accounts.notices.membership import tell_of_joining
from accounts.queries import invitation_link
from accounts.services.addresses import person_behind
from accounts.services.audit import record_audit
from core.errors import AccessDenied, Conflict, Gone, Invalid, NotFound

MOST_DAYS = 90
MOST_ACCEPTS = 10_000


@dataclass(frozen=True, kw_only=True)
class SentInvitation:
    """An invitation that was made, and what became of its mail."""

    invitation: Invitation
    link: str
    mail_sent: bool
    """False without an address, too: the link has to be handed over then."""
    joined: Membership | None = None
    """With the space's setting, of somebody who has an account: they are a member already."""


def create_invitation(
    actor: Actor,
    *,
    role: str,
    email: str = "",
    origin: str,
    days: int = INVITATION_DAYS,
    max_accepts: int | None = None,
) -> SentInvitation:
    """Make an invitation and mail it when it has an address.

    With an address only that person can use it, once; without, everybody who has the link, until it
    ends, is revoked or `max_accepts` people used it. `origin` is the site's address, such as
    "https://wiki.example.org".

    Raises:
        AccessDenied: the role is not below the actor's own, or the actor may not invite.
        Invalid: nobody can be invited with this role, or for so long, or so many.
        Conflict: the person is a member already.
    """
    made = add_invitation(actor, role=role, email=email, days=days, max_accepts=max_accepts)
    link = invitation_link(made.invitation, origin=origin)
    to_mail = bool(made.invitation.email) and made.joined is None
    return SentInvitation(
        invitation=made.invitation,
        link=link,
        mail_sent=mail_invitation(made.invitation, link=link) if to_mail else False,
        joined=made.joined,
    )


@dataclass(frozen=True, kw_only=True)
class MadeInvitation:
    """An invitation that is not mailed yet."""

    invitation: Invitation
    joined: Membership | None


def add_invitation(
    actor: Actor,
    *,
    role: str,
    email: str = "",
    days: int = INVITATION_DAYS,
    max_accepts: int | None = None,
) -> MadeInvitation:
    """Make an invitation without mailing it; see `create_invitation`."""
    require(actor, "create", Invitation)
    _check(actor, role=role, days=days, max_accepts=max_accepts)
    email = email.strip().lower()
    with transaction.atomic():
        if email:
            _make_room_for(email, space_id=actor.space_id)
        invitation = Invitation.objects.create(
            space_id=actor.space_id,
            email=email,
            role=role,
            invited_by_id=actor.user_id,
            expires_at=timezone.now() + timedelta(days=days),
            max_accepts=None if email else max_accepts,
        )
        _record(actor, "invitation.create", invitation, days=days, max_accepts=max_accepts)
        joined = _join_at_once(actor, invitation) if email else None
    return MadeInvitation(invitation=invitation, joined=joined)


def resend_invitation(actor: Actor, *, invitation_id: UUID, origin: str) -> SentInvitation:
    """Mail an open invitation again; it works for as long as a new one.

    Raises:
        NotFound: no such invitation in the actor's space, or it is not below the actor's role.
        Gone: it was used or revoked, or has no address.
    """
    invitation = _get_invitation(actor, invitation_id)
    require(actor, "change", invitation)
    closed = invitation.revoked_at or invitation.declined_at or invitation.accepted_count
    if closed or not invitation.email:
        raise Gone(_("This invitation cannot be sent again. Create a new one."))
    with transaction.atomic():
        invitation.expires_at = timezone.now() + timedelta(days=INVITATION_DAYS)
        invitation.save(update_fields=["expires_at"])
        _record(actor, "invitation.resend", invitation)
    link = invitation_link(invitation, origin=origin)
    sent = mail_invitation(invitation, link=link)
    return SentInvitation(invitation=invitation, link=link, mail_sent=sent)


def revoke_invitation(actor: Actor, *, invitation_id: UUID) -> None:
    """End an invitation's link.

    Raises:
        NotFound: no such invitation in the actor's space, or it is not below the actor's role.
    """
    invitation = _get_invitation(actor, invitation_id)
    require(actor, "delete", invitation)
    with transaction.atomic():
        _record(actor, "invitation.revoke", invitation)
        revoke_rows(Invitation.objects.filter(pk=invitation.pk))


def revoke_rows(invitations: QuerySet[Invitation]) -> None:
    """End the links of all these invitations that are not revoked yet."""
    invitations.filter(revoked_at=None).update(revoked_at=timezone.now())


def find_invitation(token: str) -> Invitation:
    """Return the open invitation behind a link.

    Raises:
        Gone: it ended, was revoked or used up, or never was; the answer does not tell which.
        AccessDenied: it is paused, as who made it is kept out of the space for now.
    """
    rows = Invitation.objects.select_related("space", "invited_by")
    invitation = rows.filter(token=token).first()
    if invitation is None or not invitation.is_open:
        raise Gone(_("This invitation no longer works. Ask for a new one."))
    require_not_paused(invitation)
    return invitation


@transaction.atomic
def accept_invitation(user: User, *, token: str) -> Membership:
    """Make the person a member; who is one already stays as they are.

    Raises:
        Gone: the invitation no longer works.
        AccessDenied: it is for another address or paused, or the person is suspended in the space,
            or was removed from it after the link was made.
    """
    # The lock lets two acceptances of a link that works once take turns.
    Invitation.objects.select_for_update().filter(token=token).first()
    invitation = find_invitation(token)
    if invitation.email and invitation.email.lower() != user.email.lower():
        raise AccessDenied(
            _("This invitation is for %(email)s. Sign in with that address.")
            % {"email": invitation.email}
        )
    require_open_to(user, invitation)
    membership, is_new = Membership.objects.get_or_create(
        space=invitation.space,
        user=user,
        defaults={"role": invitation.role, "invited_by": invitation.invited_by},
    )
    if membership.state != MembershipState.ACTIVE:
        raise AccessDenied(_("You are suspended in this space. Ask one of its admins."))
    if is_new:
        Invitation.objects.filter(pk=invitation.pk).update(accepted_count=F("accepted_count") + 1)
        _record(_outsider(user, invitation), "invitation.accept", invitation, person=str(user))
    return membership


def _check(actor: Actor, *, role: str, days: int, max_accepts: int | None) -> None:
    if role not in Role.values or role == Role.OWNER:
        raise Invalid(f"Nobody can be invited as {role!r}; an owner is made from a member.")
    if Role(role) not in roles_below(actor.role):
        raise AccessDenied(
            _("You can invite only with roles below your own."), attempted="invitations.create"
        )
    if not 1 <= days <= MOST_DAYS:
        raise Invalid(
            _("A link works for 1 to %(limit)s days, not for %(days)s.")
            % {"limit": MOST_DAYS, "days": days}
        )
    if max_accepts is not None and not 1 <= max_accepts <= MOST_ACCEPTS:
        raise Invalid(
            _("A link is for 1 to %(limit)s people, not for %(count)s.")
            % {"limit": MOST_ACCEPTS, "count": max_accepts}
        )


def _make_room_for(email: str, *, space_id: int) -> None:
    """Refuse to invite a member; a new invitation to an address replaces the open one."""
    if Membership.objects.filter(space_id=space_id, user__email__iexact=email).exists():
        raise Conflict(_("%(email)s is a member already.") % {"email": email})
    revoke_rows(Invitation.objects.filter(space_id=space_id, email__iexact=email))


def _join_at_once(actor: Actor, invitation: Invitation) -> Membership | None:
    """With the space's setting, make a member of somebody whose account has the address for sure."""
    space = Space.objects.get(pk=actor.space_id)
    person = person_behind(invitation.email) if space.auto_accept_invitations else None
    if person is None:
        return None
    membership = accept_invitation(person, token=invitation.token)
    tell_of_joining(membership)
    return membership


def _get_invitation(actor: Actor, invitation_id: UUID) -> Invitation:
    rows = Invitation.objects.filter(space_id=actor.space_id).select_related("space", "invited_by")
    invitation = rows.filter(pk=invitation_id).first()
    if invitation is None:
        raise NotFound(_("There is no such invitation."))
    return invitation


def _outsider(user: User, invitation: Invitation) -> Actor:
    """Return somebody who is not, or not yet, a member, for the audit of the space."""
    return Actor(kind="user", id=str(user.pk), user_id=user.pk, space_id=invitation.space_id)


def _record(actor: Actor, action: str, invitation: Invitation, **details: Any) -> None:
    """Write down what became of an invitation: never its link."""
    record_audit(
        actor, action, target=invitation, email=invitation.email, role=invitation.role, **details
    )
