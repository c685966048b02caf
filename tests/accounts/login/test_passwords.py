"""One password policy at every door, and every byte of a password counts."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any
from unittest.mock import patch

import pytest
from django.core import mail
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from tests.factories.accounts import PASSWORD, make_invitation, make_user
from tests.personas import LOGIN_BACKEND, Persona

WEAK = ["short1", "12345678901", "password123", "x" * 1001]
ODD = "  <b>&amp; Würfel 骰子 \\'\"  "


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def by_sign_up(password: str, olivia: Persona) -> int:
    form = {"email": "neo@example.org", "password1": password}
    return Client().post(reverse("account_signup"), form).status_code


def by_invitation(password: str, olivia: Persona) -> int:
    url = reverse("invitation", args=[make_invitation(olivia.space).token])
    form = {"email": "neo@example.org", "name": "", "password": password}
    return Client().post(url, form).status_code


def by_change(password: str, olivia: Persona) -> int:
    client = signed_in(make_user("neo@example.org"))
    form = {"oldpassword": PASSWORD, "password1": password, "password2": password}
    return client.post(reverse("account_change_password"), form).status_code


def by_reset(password: str, olivia: Persona) -> int:
    make_user("neo@example.org")
    client, link = Client(), reset_link("neo@example.org")
    form = client.get(link, follow=True).request["PATH_INFO"]
    return client.post(form, {"password1": password, "password2": password}).status_code


def by_admin_create(password: str, olivia: Persona) -> int:
    form = {"email": "neo@example.org", "name": "", "usable_password": "true"}
    client = signed_in(make_user(is_staff=True, is_superuser=True))
    passwords = {"password1": password, "password2": password}
    return client.post(reverse("admin:accounts_user_add"), {**form, **passwords}).status_code


def by_command(password: str, olivia: Persona) -> int:
    make_user("neo@example.org")
    with patch("getpass.getpass", return_value=password):
        try:
            call_command("changepassword", "neo@example.org", stdout=StringIO(), stderr=StringIO())
        except CommandError:
            return 200
    return 302


DOORS = [*(by_sign_up, by_invitation, by_change, by_reset, by_admin_create, by_command)]


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, backend=LOGIN_BACKEND)
    return client


def reset_link(email: str) -> str:
    """Ask for a reset and return the link of the mail."""
    Client().post(reverse("account_reset_password"), {"email": email})
    found = re.search(r"http://testserver(/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
@pytest.mark.parametrize("password", WEAK, ids=["short", "digits", "common", "endless"])
def test_weak_passwords_are_refused_at_every_door(
    olivia: Persona, door: Any, password: str
) -> None:
    assert door(password, olivia) != 302
    user = User.objects.filter(email="neo@example.org").first()
    assert user is None or user.check_password(PASSWORD)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_s30_no_door_trims_or_changes_a_password(olivia: Persona, door: Any) -> None:
    assert door(ODD, olivia) == 302
    assert User.objects.get(email="neo@example.org").check_password(ODD)
    form = {"login": "neo@example.org", "password": ODD}
    assert Client().post(reverse("account_login"), form).status_code == 302


def test_a_reset_link_works_once(olivia: Persona) -> None:
    client, link = Client(), reset_link(olivia.user.email)
    form = client.get(link, follow=True).request["PATH_INFO"]
    new = {"password1": "green-lantern-43", "password2": "green-lantern-43"}
    assert client.post(form, new).status_code == 302
    again = Client().get(link, follow=True)
    assert "This link no longer works" in again.content.decode()


def test_asking_for_a_reset_does_not_tell_who_exists(olivia: Persona) -> None:
    answers = []
    for email in (olivia.user.email, "nobody@example.net"):
        page = Client().post(reverse("account_reset_password"), {"email": email}, follow=True)
        answers.append(re.sub(r'csrf\S+ value="\w+"', "", page.content.decode()))
    assert answers[0] == answers[1]


def test_mails_speak_of_the_product_and_not_of_example_com(olivia: Persona) -> None:
    reset_link(olivia.user.email)
    message = mail.outbox[-1]
    assert message.subject == "Choose a new password"
    assert "Hello from" not in message.body
    assert "example.com" not in message.body
