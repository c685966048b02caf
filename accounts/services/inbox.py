"""Invitations that were sent to a person's own address, accepted and declined without the link."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Exists, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor
from accounts.invitation_doors import without_paused
from accounts.models import Invitation, Membership, User
from accounts.services.addresses import proven_people
from accounts.services.audit import record_audit
from accounts.services.invitations import accept_invitation
from core.errors import NotFound


def waiting_for(user: User) -> QuerySet[Invitation]:
    """Return the open invitations to the person's address, newest first.

    Paused ones do not wait. None to an address that may not be theirs: they need the link that was sent there.
    """
    found = Invitation.objects.filter(
        Exists(proven_people().filter(pk=user.pk)),
        email__iexact=user.email,
        revoked_at=None,
        declined_at=None,
        accepted_count=0,
        expires_at__gt=timezone.now(),
    )
    return without_paused(found).select_related("space", "invited_by")


def accept_own(user: User, *, invitation_id: UUID) -> Membership:
    """Join a space to which the person was invited.

    Raises:
        NotFound: no such invitation waits for them.
        Gone, AccessDenied: as for `accept_invitation`.
    """
    return accept_invitation(user, token=_own(user, invitation_id).token)


@transaction.atomic
def decline_own(user: User, *, invitation_id: UUID) -> Invitation:
    """End an invitation that the person does not want.

    Raises:
        NotFound: no such invitation waits for them.
    """
    invitation = _own(user, invitation_id)
    invitation.declined_at = timezone.now()
    invitation.save(update_fields=["declined_at"])
    actor = Actor(kind="user", id=str(user.pk), user_id=user.pk, space_id=invitation.space_id)
    record_audit(actor, "invitation.decline", target=invitation, email=invitation.email)
    return invitation


def _own(user: User, invitation_id: UUID) -> Invitation:
    invitation = waiting_for(user).filter(pk=invitation_id).first()
    if invitation is None:
        raise NotFound(_("There is no such invitation. It may have ended, or was revoked."))
    return invitation
