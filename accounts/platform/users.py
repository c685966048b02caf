"""What administrators of the installation do with people's accounts; all of it is audited.

Nobody loses the last administrator: whoever takes the rights away holds the lock of all
administrators, and never takes them from themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.login.lockout import unlock
from accounts.login.sessions import end_sessions
from accounts.login.two_factor import forget_factors
from accounts.models import User
from accounts.platform.administrators import administrators, require_administrator
from accounts.platform.users_passwords import make_up_password
from accounts.services.platform_audit import record_platform_audit
from core.errors import Conflict, Invalid, NotFound


@dataclass(frozen=True, kw_only=True)
class NewPassword:
    """A person, and the password that was made up for them; it is shown once."""

    user: User
    password: str


@transaction.atomic
def create_person(
    administrator: User, *, email: str, name: str = "", password: str = ""
) -> NewPassword:
    """Make an account; without a password one is made up.

    Raises:
        AccessDenied: the administrator is none.
        Invalid: no address, or the password is too weak; `data["password"]` says why.
        Conflict: somebody has the address.
    """
    require_administrator(administrator)
    email = _checked_email(email)
    chosen = password or make_up_password()
    _check_password(chosen, user=User(email=email, name=name))
    try:
        with transaction.atomic():
            user = User.objects.create_user(email, chosen, name=" ".join(name.split())[:150])
    except IntegrityError as clash:
        raise Conflict(
            _("Somebody has the e-mail address %(email)s already.") % {"email": email}
        ) from clash
    EmailAddress.objects.create(user=user, email=email, primary=True, verified=False)
    _record(administrator, "create", user, password_made_up=not password)
    return NewPassword(user=user, password=chosen)


@transaction.atomic
def reset_password(administrator: User, *, user_id: int) -> NewPassword:
    """Give a person a made-up password; they are signed out everywhere, and may try at once.

    Raises:
        AccessDenied, NotFound: as `disable_person`.
        Conflict: it is the administrator themselves; they have a page for that.
    """
    user = _other_person(administrator, user_id)
    password = make_up_password()
    user.set_password(password)
    user.save(update_fields=["password"])
    ended = end_sessions(user)
    unlock(user.email)
    _record(administrator, "reset_password", user, sessions_ended=ended)
    return NewPassword(user=user, password=password)


@transaction.atomic
def disable_person(administrator: User, *, user_id: int) -> User:
    """Switch an account off: it is signed out everywhere and does not get in again.

    Raises:
        AccessDenied: the administrator is none.
        NotFound: there is no such person.
        Conflict: it is the administrator themselves, or the last one.
    """
    user = _other_person(administrator, user_id)
    _require_another_administrator(user)
    if user.is_active:
        user.is_active = False
        user.save(update_fields=["is_active"])
        _record(administrator, "disable", user, sessions_ended=end_sessions(user))
    return user


@transaction.atomic
def enable_person(administrator: User, *, user_id: int) -> User:
    """Switch an account on again.

    Raises:
        AccessDenied, NotFound: as `disable_person`.
    """
    user = _person(administrator, user_id)
    if not user.is_active:
        user.is_active = True
        user.save(update_fields=["is_active"])
        _record(administrator, "enable", user)
    return user


@transaction.atomic
def end_all_sessions(administrator: User, *, user_id: int) -> int:
    """Sign a person out everywhere; return how many sessions ended.

    Raises:
        AccessDenied, NotFound, Conflict: as `reset_password`.
    """
    user = _other_person(administrator, user_id)
    ended = end_sessions(user)
    _record(administrator, "end_sessions", user, sessions_ended=ended)
    return ended


@transaction.atomic
def unlock_person(administrator: User, *, user_id: int) -> User:
    """End the pause after too many failed tries to sign in.

    Raises:
        AccessDenied, NotFound: as `disable_person`.
    """
    user = _person(administrator, user_id)
    unlock(user.email)
    _record(administrator, "unlock", user)
    return user


@transaction.atomic
def forget_second_factors(administrator: User, *, user_id: int) -> int:
    """Forget lost second factors and sign the person out everywhere; return how many factors.

    Raises:
        AccessDenied, NotFound, Conflict: as `reset_password`.
    """
    user = _other_person(administrator, user_id)
    count = forget_factors(user)
    end_sessions(user)
    _record(administrator, "forget_factors", user, factors=count)
    return count


@transaction.atomic
def promote(administrator: User, *, user_id: int) -> User:
    """Make a person an administrator of the installation.

    Raises:
        AccessDenied, NotFound: as `disable_person`.
        Conflict: their account is switched off.
    """
    user = _person(administrator, user_id)
    if not user.is_active:
        raise Conflict(_("%(person)s is deactivated.") % {"person": user.email})
    if not user.is_superuser:
        give_rights(user)
        _record(administrator, "promote", user)
    return user


@transaction.atomic
def demote(administrator: User, *, user_id: int) -> bool:
    """Take the rights of an administrator away; return whether they had them.

    Raises:
        AccessDenied, NotFound, Conflict: as `disable_person`.
    """
    user = _other_person(administrator, user_id)
    _require_another_administrator(user)
    if not user.is_superuser:
        return False
    user.is_superuser = user.is_staff = False
    user.save(update_fields=["is_superuser", "is_staff"])
    _record(administrator, "demote", user)
    return True


def give_rights(user: User) -> None:
    """Make an administrator, without asking or writing down: for those who do both."""
    user.is_superuser = user.is_staff = True
    user.save(update_fields=["is_superuser", "is_staff"])


def _person(administrator: User, user_id: int) -> User:
    require_administrator(administrator)
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound(_("There is no such person."))
    return user


def _other_person(administrator: User, user_id: int) -> User:
    """Return somebody else, while no other change of administrators is going on."""
    # In the order of their keys: two who take from each other wait instead of locking each other.
    locked = list(administrators().select_for_update().order_by("pk").values_list("pk", flat=True))
    administrator.refresh_from_db(fields=["is_active", "is_superuser"])
    user = _person(administrator, user_id)
    if user.pk == administrator.pk:
        raise Conflict(_("Not to yourself: another administrator does this."))
    assert administrator.pk in locked
    return user


def _require_another_administrator(user: User) -> None:
    """Return when somebody administers the installation without this person.

    Whoever asks is an administrator and somebody else; this holds also if that changes one day.
    """
    if not administrators().exclude(pk=user.pk).exists():
        raise Conflict(_("%(person)s is the last administrator.") % {"person": user.email})


def _checked_email(email: str) -> str:
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError as refusal:
        raise Invalid(_("That is not an e-mail address."), field="email") from refusal
    if User.objects.filter(email__iexact=email).exists():
        raise Conflict(_("Somebody has the e-mail address %(email)s already.") % {"email": email})
    return email


def _check_password(password: str, *, user: User) -> None:
    try:
        validate_password(password, user=user)
    except ValidationError as refusal:
        raise Invalid(
            _("That password cannot be used."), field="password", password=refusal.messages
        ) from refusal


def _record(administrator: User, verb: str, user: User, **details: Any) -> None:
    record_platform_audit(
        administrator, f"person.{verb}", target=user, target_name=user.email, **details
    )
