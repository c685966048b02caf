"""Invitations: made, looked up by their secret link, accepted, revoked."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from accounts.access import Actor, require
from accounts.constants import MembershipState, Role, roles_below
from accounts.models import Invitation, Membership, User
from accounts.notices.mail import send_mail
from accounts.queries import invitation_link
from core.errors import AccessDenied, Conflict, Gone, Invalid, NotFound

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class SentInvitation:
    """An invitation that was made, and what became of its mail."""

    invitation: Invitation
    link: str
    mail_sent: bool
    """False without an address, too: the link has to be handed over then."""


def create_invitation(actor: Actor, *, role: str, email: str = "", origin: str) -> SentInvitation:
    """Make an invitation and mail it when it has an address.

    With an address only that person can use it, once; without, everybody who has the link, until it
    ends or is revoked. `origin` is the site's address, such as "https://wiki.example.org".

    Raises:
        AccessDenied: the role is not below the actor's own, or the actor may not invite.
        Invalid: nobody can be invited with this role.
        Conflict: the person is a member already.
    """
    require(actor, "create", Invitation)
    if role not in Role.values or role == Role.OWNER:
        raise Invalid(f"Nobody can be invited as {role!r}; an owner is made from a member.")
    if Role(role) not in roles_below(actor.role):
        raise AccessDenied("You can invite only with roles below your own.")
    email = email.strip().lower()
    with transaction.atomic():
        if email:
            _make_room_for(email, space_id=actor.space_id)
        invitation = Invitation.objects.create(
            space_id=actor.space_id, email=email, role=role, invited_by_id=actor.user_id
        )
    link = invitation_link(invitation, origin=origin)
    return SentInvitation(
        invitation=invitation, link=link, mail_sent=_mail(invitation, link) if email else False
    )


def revoke_invitation(actor: Actor, *, invitation_id: UUID) -> None:
    """End an invitation's link.

    Raises:
        NotFound: no such invitation in the actor's space, or it is not below the actor's role.
    """
    rows = Invitation.objects.filter(space_id=actor.space_id, pk=invitation_id)
    invitation = rows.first()
    if invitation is None:
        raise NotFound("There is no such invitation.")
    require(actor, "delete", invitation)
    revoke_rows(rows)


def revoke_rows(invitations: QuerySet[Invitation]) -> None:
    """End the links of all these invitations that are not revoked yet."""
    invitations.filter(revoked_at=None).update(revoked_at=timezone.now())


def find_invitation(token: str) -> Invitation:
    """Return the open invitation behind a link.

    Raises:
        Gone: it ended, was revoked or used up, or never was; the answer does not tell which.
    """
    rows = Invitation.objects.select_related("space", "invited_by")
    invitation = rows.filter(token=token).first()
    if invitation is None or not invitation.is_open:
        raise Gone("This invitation no longer works. Ask for a new one.")
    return invitation


@transaction.atomic
def accept_invitation(user: User, *, token: str) -> Membership:
    """Make the person a member; who is one already stays as they are.

    Raises:
        Gone: the invitation no longer works.
        AccessDenied: it is for another address, or the person is suspended in the space.
    """
    # The lock lets two acceptances of a link that works once take turns.
    Invitation.objects.select_for_update().filter(token=token).first()
    invitation = find_invitation(token)
    if invitation.email and invitation.email != user.email.lower():
        raise AccessDenied(f"This invitation is for {invitation.email}. Sign in with that address.")
    membership, is_new = Membership.objects.get_or_create(
        space=invitation.space,
        user=user,
        defaults={"role": invitation.role, "invited_by": invitation.invited_by},
    )
    if membership.state != MembershipState.ACTIVE:
        raise AccessDenied("You are suspended in this space. Ask one of its admins.")
    if is_new:
        Invitation.objects.filter(pk=invitation.pk).update(accepted_count=F("accepted_count") + 1)
    return membership


def _make_room_for(email: str, *, space_id: int) -> None:
    """Refuse to invite a member; a new invitation to an address replaces the open one."""
    if Membership.objects.filter(space_id=space_id, user__email__iexact=email).exists():
        raise Conflict(f"{email} is a member already.")
    revoke_rows(Invitation.objects.filter(space_id=space_id, email__iexact=email))


def _mail(invitation: Invitation, link: str) -> bool:
    return send_mail(
        to=invitation.email,
        template="notices/invitation.txt",
        context={"invitation": invitation, "space": invitation.space, "link": link},
    )
