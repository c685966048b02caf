"""Headers: what every answer says, what pages may run, what the admin may run beside."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.factories.accounts import make_user
from tests.personas import LOGIN_BACKEND, Persona


@pytest.fixture
def superuser(db: None) -> Client:
    client = Client()
    client.force_login(make_user(is_staff=True, is_superuser=True), backend=LOGIN_BACKEND)
    return client


@pytest.mark.parametrize("name", ["chat_new", "bases", "memory", "profile"])
def test_pages_say_all_of_it(victor: Persona, name: str) -> None:
    headers = victor.client.get(reverse(name)).headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]
    assert headers["Cache-Control"] == "private, no-store"
    policy = headers["Content-Security-Policy"]
    assert "script-src 'self';" in f"{policy};"
    assert "unsafe-eval" not in policy
    assert "frame-ancestors 'none'" in policy


def test_pages_hold_no_script_and_no_style_of_their_own(victor: Persona) -> None:
    text = victor.client.get(reverse("chat_new")).content.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>", text)
    assert "<style" not in text
    assert not re.search(r"\son[a-z]+=", text)


def test_only_the_admin_may_evaluate(superuser: Client) -> None:
    admin = superuser.get(reverse("admin:index")).headers["Content-Security-Policy"]
    assert "'unsafe-eval'" in admin
    assert "frame-ancestors 'none'" in admin


def test_hsts_is_said_behind_https_alone(victor: Persona, settings: Settings) -> None:
    assert "Strict-Transport-Security" not in victor.client.get("/").headers
    settings.SECURE_HSTS_SECONDS = 31_536_000
    client = Client()  # the middleware reads its settings when it is made
    found = client.get(reverse("account_login"), secure=True).headers
    assert found["Strict-Transport-Security"] == "max-age=31536000"


def test_static_files_and_strangers_pages_have_the_headers_too(db: None) -> None:
    headers = Client().get(reverse("account_login")).headers
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert (
        "no-store" not in headers.get("Cache-Control", "") or "private" in headers["Cache-Control"]
    )
