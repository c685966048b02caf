"""To whom an open invitation is closed all the same, and when it is paused."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.constants import MembershipState
from accounts.models import Invitation, Membership, User
from core.errors import AccessDenied


def close_links_to(user: User, *, space_id: int) -> None:
    """Close the space's links that anybody may use to a person who was removed from it.

    A link that is made after that lets them in, and so does an invitation to their address.
    """
    links = Invitation.objects.filter(
        space_id=space_id, email="", revoked_at=None, expires_at__gt=timezone.now()
    )
    pairs = Invitation.closed_to.through
    pairs._default_manager.bulk_create(
        [
            pairs(invitation_id=link_id, user_id=user.pk)
            for link_id in links.values_list("pk", flat=True)
        ],
        ignore_conflicts=True,
    )


def require_open_to(user: User, invitation: Invitation) -> None:
    """Return when the invitation is not closed to the person; members may always open it.

    Raises:
        AccessDenied: they were removed from the space after it was made.
    """
    if not invitation.closed_to.filter(pk=user.pk).exists():
        return
    if Membership.objects.filter(space_id=invitation.space_id, user=user).exists():
        return
    raise AccessDenied(
        _(
            "You were removed from this space, and links made before that no longer work for you. "
            "Ask one of its admins for a new invitation."
        )
    )


def require_not_paused(invitation: Invitation) -> None:
    """Return when who made the invitation may enter the space.

    Raises:
        AccessDenied: they are suspended there, or their account is off; it works again after that.
    """
    if _paused(Invitation.objects.filter(pk=invitation.pk)).exists():
        raise AccessDenied(
            _("This invitation is paused. Ask one of the admins of the space for a new one.")
        )


def without_paused(invitations: QuerySet[Invitation]) -> QuerySet[Invitation]:
    """Return those of the invitations that are not paused."""
    return invitations.exclude(pk__in=_paused(invitations).values("pk"))


def paused_ids(invitations: QuerySet[Invitation]) -> set[object]:
    """Return the ids of the paused ones, for a list of them."""
    return set(_paused(invitations).order_by().values_list("pk", flat=True))


def _paused(invitations: QuerySet[Invitation]) -> QuerySet[Invitation]:
    kept_out = Membership.objects.filter(
        space=OuterRef("space"), user=OuterRef("invited_by")
    ).exclude(state=MembershipState.ACTIVE)
    return invitations.filter(Q(Exists(kept_out)) | Q(invited_by__is_active=False))
