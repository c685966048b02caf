"""Signing up: by oneself, by invitation, and what one begins with."""

from __future__ import annotations

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.urls import reverse

from accounts.constants import Role
from accounts.models import Membership, User
from accounts.services.signup import sign_up_by_invitation
from core.errors import AccessDenied, Conflict, Gone, Invalid
from tests.factories.accounts import PASSWORD, make_invitation, make_user
from tests.personas import Persona

SIGNUP = {"email": "Neo@Example.org", "password1": PASSWORD}


def sign_up(client: Client) -> int:
    return client.post(reverse("account_signup"), SIGNUP).status_code


def test_a_new_person_gets_a_space_of_their_own(stranger: Client) -> None:
    assert sign_up(stranger) == 302
    membership = Membership.objects.get(user__email="neo@example.org")
    assert membership.role == Role.OWNER
    assert membership.space.name == "Space of neo"
    assert stranger.get(reverse("members")).status_code == 200


def test_an_installation_may_give_no_space(stranger: Client, settings: Any) -> None:
    settings.ACCOUNTS_DEFAULT_SPACE = "none"
    assert sign_up(stranger) == 302
    assert not Membership.objects.exists()
    response = stranger.get(reverse("members"))
    assert response.headers["Location"] == reverse("spaces")
    assert "You are not in a space yet" in stranger.get(reverse("spaces")).content.decode()


def test_signing_up_can_be_closed_to_the_uninvited(
    stranger: Client, olivia: Persona, settings: Any
) -> None:
    settings.ACCOUNTS_REGISTRATION = "invite_only"
    assert sign_up(stranger) == 200
    assert not User.objects.filter(email="neo@example.org").exists()
    sign_up_by_invitation(
        make_invitation(olivia.space).token, email="neo@example.org", name="", password=PASSWORD
    )
    assert User.objects.filter(email="neo@example.org").exists()


def test_an_address_signs_up_once_whatever_its_spelling(stranger: Client) -> None:
    make_user("neo@example.org")
    assert sign_up(stranger) == 200
    assert User.objects.filter(email__iexact="neo@example.org").count() == 1


def test_the_invited_become_members_and_get_no_other_space(olivia: Persona) -> None:
    invitation = make_invitation(olivia.space, role=Role.VIEWER, email="neo@example.org")
    membership = sign_up_by_invitation(
        invitation.token, email="NEO@example.org", name=" Neo ", password=PASSWORD
    )
    assert membership.user.name == "Neo"
    assert [(one.space, one.role) for one in membership.user.memberships.all()] == [
        (olivia.space, Role.VIEWER)
    ]
    address = EmailAddress.objects.get(user=membership.user)
    assert (address.email, address.primary, address.verified) == ("neo@example.org", True, False)


def test_passwords_are_kept_byte_by_byte(olivia: Persona, stranger: Client) -> None:
    password = "  <b>&amp; Würfel 骰子 \\'\"  "
    url = reverse("invitation", args=[make_invitation(olivia.space).token])
    form = {"email": "neo@example.org", "name": "Neo", "password": password}
    assert stranger.post(url, form).status_code == 302
    assert User.objects.get(email="neo@example.org").check_password(password)
    stranger.logout()
    login = stranger.post(
        reverse("account_login"), {"login": "neo@example.org", "password": password}
    )
    assert login.status_code == 302


@pytest.mark.parametrize("password", ["short1", "12345678901", "password123", "neo@example.org"])
def test_weak_passwords_are_refused_with_the_reason(olivia: Persona, password: str) -> None:
    token = make_invitation(olivia.space).token
    with pytest.raises(Invalid) as refusal:
        sign_up_by_invitation(token, email="neo@example.org", name="", password=password)
    assert refusal.value.data["password"]
    assert password not in str(refusal.value.data)
    assert not User.objects.filter(email="neo@example.org").exists()


def test_an_existing_person_is_asked_to_sign_in(olivia: Persona, mallory: Persona) -> None:
    token = make_invitation(olivia.space).token
    with pytest.raises(Conflict, match="Sign in"):
        sign_up_by_invitation(token, email="MALLORY@example.org", name="", password=PASSWORD)


def test_nobody_signs_up_with_the_invitation_of_another(olivia: Persona) -> None:
    token = make_invitation(olivia.space, email="neo@example.org").token
    with pytest.raises(AccessDenied):
        sign_up_by_invitation(token, email="smith@example.org", name="", password=PASSWORD)
    with pytest.raises(Gone):
        sign_up_by_invitation("x", email="smith@example.org", name="", password=PASSWORD)
    assert not User.objects.filter(email="smith@example.org").exists()
