"""Helping people who are locked out, and registration that is closed."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.login.lockout import Attempt, seconds_locked
from accounts.models import PlatformAuditEvent, User
from tests.accounts.login.test_two_factor import is_in, set_up_app, sign_in
from tests.factories.accounts import PASSWORD, make_invitation
from tests.personas import Persona


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def let_in(*arguments: str) -> str:
    out = StringIO()
    call_command("let_in", *arguments, stdout=out)
    return out.getvalue()


def test_an_administrator_ends_a_pause(olivia: Persona) -> None:
    attempt = Attempt(email=olivia.user.email, address="192.0.2.1")
    for _ in range(6):
        attempt.seconds_to_wait()
    assert seconds_locked(olivia.user.email) > 0
    let_in(olivia.user.email.upper())
    assert seconds_locked(olivia.user.email) == 0


def test_lost_factors_are_forgotten_only_on_demand(olivia: Persona) -> None:
    old = sign_in(olivia)
    set_up_app(old)
    let_in(olivia.user.email)
    assert not is_in(sign_in(olivia))
    assert "2 factors" in let_in(olivia.user.email, "--forget-factors")
    assert not Authenticator.objects.exists()
    assert old.get(reverse("profile")).status_code == 302
    assert is_in(sign_in(olivia))
    rows = PlatformAuditEvent.objects.filter(action="login.let_in", target_name=olivia.user.email)
    assert [row.details["factors_forgotten"] for row in rows] == [2, 0]


def test_nobody_is_let_in_who_is_not_there(db: None) -> None:
    with pytest.raises(CommandError, match="Nobody has"):
        let_in("nobody@example.net")


def test_where_registration_is_closed_not_even_the_invited_sign_up(
    olivia: Persona, mallory: Persona, settings: Any
) -> None:
    settings.ACCOUNTS_REGISTRATION = "closed"
    form = {"email": "neo@example.org", "password1": PASSWORD, "password": PASSWORD, "name": ""}
    page = Client().post(reverse("account_signup"), form).content.decode()
    assert "You cannot sign up by yourself" in page
    url = reverse("invitation", args=[make_invitation(olivia.space).token])
    page = Client().post(url, form).content.decode()
    assert "administrators create accounts" in page
    assert not User.objects.filter(email="neo@example.org").exists()
    assert mallory.client.post(url).status_code == 302
