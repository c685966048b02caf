"""Who may sign up, and what a new person begins with."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.login.registration import may_sign_up, require_open_to_invited
from accounts.models import Membership, Space, User
from accounts.services.invitations import accept_invitation, find_invitation
from accounts.services.spaces import create_space
from core.errors import AccessDenied, Conflict, Invalid
from core.live import live
from core.names import clean_name

_ACCOUNT_EXISTS = "There is an account with this address. Sign in to join."


def signup_is_open() -> bool:
    """Return whether anybody may sign up; else only the invited may, or nobody."""
    return may_sign_up()


def give_personal_space(user: User) -> Space | None:
    """Make the space of a person who signed up uninvited, unless the installation makes none."""
    if live("ACCOUNTS_DEFAULT_SPACE") != "personal":
        return None
    called = user.name or user.email.split("@")[0]
    name = _("Space of %(name)s") % {"name": called[:150]}
    return create_space(user, name=name, by_installation=True)


@transaction.atomic
def sign_up_by_invitation(token: str, *, email: str, name: str, password: str) -> Membership:
    """Make a person and a member in one step, unless registration is closed.

    Raises:
        Gone: the invitation no longer works.
        AccessDenied: it is for another address, or only administrators make accounts here.
        Conflict: somebody with this address exists; they sign in and accept instead.
        Invalid: the password is too weak; `data["password"]` lists what is wrong with it.
    """
    require_open_to_invited()
    invitation = find_invitation(token)
    email = email.strip().lower()
    if invitation.email and invitation.email != email:
        raise AccessDenied(_("This invitation is for %(email)s.") % {"email": invitation.email})
    if User.objects.filter(email__iexact=email).exists():
        raise Conflict(_ACCOUNT_EXISTS)
    _check_password(password, user=User(email=email, name=name))
    user = _make_user(email, password, name=clean_name(name))
    return accept_invitation(user, token=token)


def _make_user(email: str, password: str, *, name: str) -> User:
    try:
        with transaction.atomic():
            user = User.objects.create_user(email, password, name=name)
    except IntegrityError as clash:  # the same form was sent twice at once
        raise Conflict(_ACCOUNT_EXISTS) from clash
    # Nobody has proved that the address is theirs: the link is shown to the inviter, too.
    EmailAddress.objects.create(user=user, email=email, primary=True, verified=False)
    return user


def _check_password(password: str, *, user: User) -> None:
    """Ask the installation's one password policy."""
    try:
        validate_password(password, user=user)
    except ValidationError as refusal:
        raise Invalid(_("That password cannot be used."), password=refusal.messages) from refusal
