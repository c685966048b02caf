"""The mail that invites somebody to a space."""

from __future__ import annotations

from django.utils import translation

from accounts.models import Invitation, User
from accounts.notices.mail import send_mail


def mail_invitation(invitation: Invitation, *, link: str) -> bool:
    """Send the link, in the language of the person or else of the space; return whether it left."""
    with translation.override(_language(invitation)):
        return send_mail(
            to=invitation.email,
            template="notices/invitation.txt",
            context={"invitation": invitation, "space": invitation.space, "link": link},
        )


def _language(invitation: Invitation) -> str:
    person = User.objects.filter(email__iexact=invitation.email).first()
    own = person.language if person is not None else ""
    return own or invitation.space.language or translation.get_language() or "en"
