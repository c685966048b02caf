"""How allauth fits into this product."""

from __future__ import annotations

import math
import time
from typing import Any
from uuid import uuid4

from allauth.account import app_settings
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.login import get_authentication_records
from allauth.account.internal.flows.reauthentication import get_reauthentication_flows
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from accounts.login.audit import record_failure
from accounts.login.external import signs_in_elsewhere
from accounts.login.lockout import Attempt
from accounts.models import User
from accounts.services.signup import give_personal_space, signup_is_open
from accounts.throttle import client_address
from core.errors import Conflict


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth ships no types
    """Signing up follows the registration mode; guessing passwords is slowed down and audited."""

    error_messages = {  # noqa: RUF012  as allauth declares it
        **DefaultAccountAdapter.error_messages,
        "email_password_mismatch": gettext_lazy("That e-mail and password do not match."),
        "incorrect_password": gettext_lazy("That is not your password."),
        "incorrect_code": gettext_lazy(
            "That code is not right. Wait for the next one and try again."
        ),
        "too_many_login_attempts": gettext_lazy(
            "Too many tries. Wait 5 minutes or reset the password."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Close allauth's sign-up page where only the invited may sign up, or nobody."""
        return signup_is_open()

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Save a new person together with the space they begin in."""
        with transaction.atomic():
            saved: User = super().save_user(request, user, form, commit)
            if commit:
                give_personal_space(saved)
        return saved

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:
        """Look at the password unless there were too many tries.

        Raises:
            ValidationError: there were, or a directory knows the person but they may not come in.
        """
        attempt = Attempt(email=credentials.get("email", ""), address=client_address(request))
        seconds = attempt.seconds_to_wait()
        if seconds:
            raise ValidationError(_wait_text(seconds), code="too_many_login_attempts")
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            attempt.succeeded()
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the failure, and write it down."""
        email = credentials.get("email", "")
        person = User.objects.filter(email__iexact=email).first()
        record_failure(user=person, request=request, method="password")
        Attempt(email=email, address=client_address(request)).failed()

    def is_reauthentication_required(self, *, app: str) -> bool:
        """Ask once more before a change; of who has nothing to show, a fresh sign-in is enough."""
        required: bool = super().is_reauthentication_required(app=app)
        user = self.request.user
        if not required or get_reauthentication_flows(user):
            return required
        records = get_authentication_records(self.request, user)
        if records and time.time() - records[-1]["at"] < app_settings.REAUTHENTICATION_TIMEOUT:
            return False
        raise Conflict(_("Sign out, sign in again, and do this within five minutes after it."))

    def send_password_reset_mail(self, user: User, email: str, context: dict[str, Any]) -> None:
        """Send the link, or say where the person's password is kept."""
        if signs_in_elsewhere(user):
            self.send_mail("account/email/password_elsewhere", email, context)
            return
        super().send_password_reset_mail(user, email, context)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Leave the count of an account's tries to `lockout`; allauth goes on counting addresses."""
        del request, credentials
        return uuid4().hex


def _wait_text(seconds: int) -> str:
    minutes = math.ceil(seconds / 60)
    return ngettext(
        "Too many tries. Wait %(minutes)d minute or reset the password.",
        "Too many tries. Wait %(minutes)d minutes or reset the password.",
        minutes,
    ) % {"minutes": minutes}
