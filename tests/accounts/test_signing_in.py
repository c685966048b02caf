"""The settings that guard signing in hold: throttling, CSRF, cookies, sessions."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from tests.factories.accounts import PASSWORD, make_member, make_space
from tests.personas import Persona

LOGIN = "/account/login/"


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


@pytest.fixture
def address(db: None) -> str:
    """A person who can sign in."""
    return make_member(make_space()).user.email


def sign_in(client: Client, address: str, password: str = PASSWORD, **extra: Any) -> int:
    return client.post(LOGIN, {"login": address, "password": password}, **extra).status_code


def test_an_address_is_signed_in_whatever_its_case(stranger: Client, address: str) -> None:
    assert sign_in(stranger, address.upper()) == 302


def test_an_address_is_locked_after_some_wrong_passwords(stranger: Client, address: str) -> None:
    for number in range(5):
        assert sign_in(stranger, address, f"wrong-{number}") == 200
    assert sign_in(stranger, address) == 200
    assert sign_in(Client(REMOTE_ADDR="192.0.2.7"), address) == 200


def test_a_client_is_slowed_down_over_many_addresses(stranger: Client, db: None) -> None:
    for number in range(10):
        assert sign_in(stranger, f"person{number}@example.net", "wrong") == 200
    other = make_member(make_space()).user.email
    assert sign_in(stranger, other) == 200
    assert sign_in(Client(REMOTE_ADDR="192.0.2.7"), other) == 302


def test_a_header_does_not_make_another_client(stranger: Client, db: None) -> None:
    for number in range(10):
        forged = {"X-Forwarded-For": f"198.51.100.{number}"}
        sign_in(stranger, f"person{number}@example.net", "wrong", headers=forged)
    other = make_member(make_space()).user.email
    assert sign_in(stranger, other, headers={"X-Forwarded-For": "198.51.100.99"}) == 200


def test_behind_a_proxy_clients_are_told_apart_by_what_it_saw(
    stranger: Client, db: None, settings: Any
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for number in range(10):
        forged = {"X-Forwarded-For": f"198.51.100.{number}, 203.0.113.5"}
        sign_in(stranger, f"person{number}@example.net", "wrong", headers=forged)
    other = make_member(make_space()).user.email
    locked, free = ({"X-Forwarded-For": f"192.0.2.1, 203.0.113.{last}"} for last in (5, 6))
    assert sign_in(stranger, other, headers=locked) == 200
    assert sign_in(Client(), other, headers=free) == 302


def test_a_refusal_does_not_tell_whether_the_address_exists(stranger: Client, address: str) -> None:
    pages = []
    for login in (address, "nobody@example.net"):
        page = stranger.post(LOGIN, {"login": login, "password": "wrong"}).content.decode()
        pages.append(page.replace(login, "…").partition('role="alert"')[2][:300])
    assert pages[0]
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    "name", ["spaces", "space_settings", "invitations", "profile", "account_logout"]
)
def test_forms_without_a_token_are_refused(olivia: Persona, name: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies = olivia.client.cookies
    assert client.post(reverse(name), {"name": "x"}).status_code == 403


def test_signing_out_needs_a_post_and_ends_the_session(olivia: Persona) -> None:
    key = olivia.client.session.session_key
    assert olivia.client.get(reverse("account_logout")).status_code == 200
    assert olivia.client.get(reverse("profile")).status_code == 200
    olivia.client.post(reverse("account_logout"))
    stolen = Client()
    stolen.cookies["sessionid"] = str(key)
    assert stolen.get(reverse("profile")).status_code == 302


def test_a_changed_password_ends_the_other_sessions(olivia: Persona) -> None:
    other = Client()
    other.force_login(olivia.user, backend="allauth.account.auth_backends.AuthenticationBackend")
    form = {"oldpassword": PASSWORD, "password1": "green-lantern-43"}
    page = olivia.client.post(
        reverse("account_change_password"), {**form, "password2": "green-lantern-43"}
    )
    assert page.status_code == 302
    assert other.get(reverse("profile")).status_code == 302


def test_cookies_are_kept_from_scripts_and_other_sites(stranger: Client, address: str) -> None:
    sign_in(stranger, address)
    cookie = stranger.cookies[django_settings.SESSION_COOKIE_NAME]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert django_settings.CSRF_COOKIE_SAMESITE == "Lax"
    assert django_settings.SESSION_COOKIE_SECURE == django_settings.BEHIND_HTTPS
    assert django_settings.CSRF_COOKIE_SECURE == django_settings.BEHIND_HTTPS


def test_signing_in_does_not_lead_to_another_site(stranger: Client, address: str) -> None:
    form = {"login": address, "password": PASSWORD, "next": "https://evil.example/"}
    assert stranger.post(LOGIN, form).headers["Location"] == django_settings.LOGIN_REDIRECT_URL


def test_pages_may_not_be_framed_or_sniffed(stranger: Client, db: None) -> None:
    headers = stranger.get(LOGIN).headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert headers["Referrer-Policy"] == "same-origin"
