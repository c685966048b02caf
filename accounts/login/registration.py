"""Who may get an account, and to which account a proven address belongs."""

from __future__ import annotations

from typing import Literal

from allauth.account.models import EmailAddress
from django.utils.translation import gettext as _

from accounts.constants import Role
from accounts.models import Invitation, Membership, Space, User
from accounts.services.invitations import accept_invitation
from core.errors import AccessDenied, Conflict
from core.live import live

RegistrationMode = Literal["self_serve", "invite_only", "closed"]
Provisioning = Literal["registration", "always", "never"]
"""Whether a directory or an identity provider makes accounts: as the registration mode says for the
address (in `invite_only` somebody must have invited it), always, or never."""


def registration_mode() -> RegistrationMode:
    """Return how people get accounts; `closed`: only administrators make them."""
    mode: RegistrationMode = live("ACCOUNTS_REGISTRATION")
    return mode


def may_sign_up() -> bool:
    """Say whether anybody may make an account."""
    return registration_mode() == "self_serve"


def require_open_to_invited() -> None:
    """Return when the invited may make an account.

    Raises:
        AccessDenied: only administrators make accounts here.
    """
    if registration_mode() == "closed":
        raise AccessDenied(
            _("Only administrators create accounts here. Ask for one, then open the link again.")
        )


def may_be_provisioned(email: str, *, provisioning: Provisioning) -> bool:
    """Say whether a person with this proven address gets an account by signing in from outside."""
    if provisioning != "registration":
        return provisioning == "always"
    if registration_mode() == "invite_only":
        return bool(_open_invitations(email))
    return may_sign_up()


def account_of(email: str) -> User | None:
    """Return the account that a proven address belongs to; None when there is none.

    Raises:
        Conflict: somebody signed up with the address and never confirmed it. They may be another
            person who waits for the true one: neither gets the other's account.
    """
    user = User.objects.filter(email__iexact=email).first()
    addresses = EmailAddress.objects.filter(email__iexact=email)
    if user is None:
        confirmed = addresses.filter(verified=True).select_related("user").first()
        return confirmed.user if confirmed else None
    own = addresses.filter(user=user).first()
    if own is not None and not own.verified:
        raise Conflict(
            _(
                "There is an account with the address %(email)s, and it was never confirmed. Sign in "
                "with its password and confirm the address, or ask an administrator."
            )
            % {"email": email}
        )
    return user


def confirm_address(user: User, email: str) -> None:
    """Note that the address is proven to be the person's."""
    EmailAddress.objects.update_or_create(
        user=user,
        email=email.lower(),
        defaults={"verified": True, "primary": user.email.lower() == email.lower()},
    )


def begin_as_member(user: User, *, space_id: int | None, role: str) -> None:
    """Let a new person from outside join what invited them, and the installation's default space."""
    for invitation in _open_invitations(user.email):
        accept_invitation(user, token=invitation.token)
    space = Space.objects.filter(pk=space_id).first() if space_id else None
    if space is not None:
        Membership.objects.get_or_create(space=space, user=user, defaults={"role": Role(role)})


def _open_invitations(email: str) -> list[Invitation]:
    return [one for one in Invitation.objects.filter(email__iexact=email) if one.is_open]
