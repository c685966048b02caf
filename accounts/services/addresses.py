"""To whom an address belongs for sure: what is sent to it may be shown to them."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import User


def proven_people() -> QuerySet[User]:
    """Return the active people whose address is theirs for sure.

    Anybody can sign up with any address. It is theirs when a mail, a directory or an identity provider
    confirmed it, or when an administrator made the account, which leaves nothing to be confirmed.
    """
    own = EmailAddress.objects.filter(user=OuterRef("pk"), email__iexact=OuterRef("email"))
    return User.objects.filter(~Exists(own.filter(verified=False)), is_active=True)


def is_proven(user: User) -> bool:
    """Say whether the person's address is theirs for sure."""
    return proven_people().filter(pk=user.pk).exists()


def person_behind(email: str) -> User | None:
    """Return the person to whom the address belongs for sure; None when there is none."""
    return proven_people().filter(email__iexact=email).first()
