"""What follows from what happens at the door: audit, ended sessions, ended pauses."""

from __future__ import annotations

from typing import Any, Literal

from allauth.account import signals as account_signals
from allauth.mfa import signals as mfa_signals
from allauth.mfa.models import Authenticator
from allauth.socialaccount import signals as social_signals
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.login.audit import record_failure, record_sign_in
from accounts.login.lockout import unlock
from accounts.login.sessions import begin_activity, end_sessions
from accounts.models import User
from accounts.signals import sign_in_locked


@receiver(user_logged_in)
def note_sign_in(request: HttpRequest, **_: Any) -> None:
    """Begin to count idle time."""
    begin_activity(request.session)


@receiver(account_signals.user_logged_in)
def audit_sign_in(request: HttpRequest, user: User, **_: Any) -> None:
    """Write down that somebody came in, and by what means."""
    methods = [
        str(record.get("type") or record.get("provider") or record.get("method"))
        for record in request.session.get("account_authentication_methods", ())
    ]
    record_sign_in("in", user=user, request=request, methods=methods)


@receiver(user_logged_out)
def audit_sign_out(request: HttpRequest | None, user: User | None, **_: Any) -> None:
    """Write down that somebody went."""
    if isinstance(user, User) and request is not None and request.META.get("REMOTE_ADDR"):
        record_sign_in("out", user=user, request=request)


@receiver(account_signals.user_signed_up)
def audit_sign_up(request: HttpRequest, user: User, **_: Any) -> None:
    """Write down that somebody made an account."""
    record_sign_in("signed_up", user=user, request=request)


@receiver(sign_in_locked)
def audit_lock(rule: Literal["account", "address"], subject: str, seconds: int, **_: Any) -> None:
    """Write down that a pause began; whose, only when the account exists."""
    person = None
    if rule == "account":
        person = User.objects.filter(email__iexact=subject).first()
    record_sign_in(
        "locked",
        user=None,
        target=person,
        request=None,
        outcome="refused",
        rule=rule,
        seconds=seconds,
        address=subject if rule == "address" else None,
    )


@receiver(account_signals.password_changed)
@receiver(account_signals.password_set)
def end_others_after_change(request: HttpRequest, user: User, **_: Any) -> None:
    """Sign the person out in all other browsers; unlock the account."""
    unlock(user.email)
    ended = end_sessions(user, keep_key=request.session.session_key)
    record_sign_in("password_changed", user=user, request=request, sessions_ended=ended)


@receiver(account_signals.password_reset)
def end_all_after_reset(request: HttpRequest, user: User, **_: Any) -> None:
    """Sign the person out everywhere; unlock the account."""
    unlock(user.email)
    ended = end_sessions(user)
    record_sign_in("password_reset", user=user, request=request, sessions_ended=ended)


@receiver(account_signals.email_changed)
def audit_address(request: HttpRequest, user: User, **_: Any) -> None:
    """Write down that somebody signs in with another address now."""
    record_sign_in("email_changed", user=user, request=request)


@receiver(mfa_signals.authenticator_added)
def audit_factor_added(
    request: HttpRequest, user: User, authenticator: Authenticator, **_: Any
) -> None:
    """Write down a new second factor; the code that proved an app opens nothing more."""
    if authenticator.type == Authenticator.Type.TOTP:
        authenticator.wrap().validate_code(request.POST.get("code", ""))  # which marks it as used
    record_sign_in("factor_added", user=user, request=request, type=str(authenticator.type))


@receiver(mfa_signals.authenticator_removed)
def audit_factor_removed(
    request: HttpRequest, user: User, authenticator: Authenticator, **_: Any
) -> None:
    """Write down that a second factor is gone."""
    record_sign_in("factor_removed", user=user, request=request, type=str(authenticator.type))


@receiver(mfa_signals.authenticator_reset)
def audit_codes(request: HttpRequest, user: User, **_: Any) -> None:
    """Write down that recovery codes were made anew."""
    record_sign_in("recovery_codes_renewed", user=user, request=request)


@receiver(mfa_signals.authentication_failed)
def audit_wrong_factor(request: HttpRequest, user: User | None = None, **_: Any) -> None:
    """Write down a wrong code."""
    record_failure(user=user, request=request, method="second_factor")


@receiver(social_signals.social_account_added)
def audit_link(request: HttpRequest, sociallogin: Any, **_: Any) -> None:
    """Write down that an account was linked to an identity elsewhere."""
    record_sign_in("linked", user=sociallogin.user, request=request)


@receiver(social_signals.social_account_removed)
def audit_unlink(request: HttpRequest, socialaccount: SocialAccount, **_: Any) -> None:
    """Write down that a link was taken away."""
    record_sign_in("unlinked", user=socialaccount.user, request=request)
