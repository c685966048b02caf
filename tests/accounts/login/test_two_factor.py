"""Second factors through the pages: set up, asked for, required, kept, recovered."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth import SESSION_KEY
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import PlatformAuditEvent
from agents.consumers import _actor_of_scope
from tests.factories.accounts import PASSWORD
from tests.personas import Persona


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def sign_in(person: Persona, client: Client | None = None) -> Client:
    client = client or Client()
    form = {"login": person.user.email, "password": PASSWORD}
    client.post(reverse("account_login"), form)
    return client


def confirm_it_is_me(client: Client) -> None:
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})


def code_of(secret: str, *, steps: int = 0) -> str:
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps)))


def set_up_app(client: Client) -> str:
    """Set an authenticator app up and return its secret."""
    confirm_it_is_me(client)
    page = client.get(reverse("mfa_activate_totp")).content.decode()
    found = re.search(r'id="totp-secret"[^>]*>(\w+)<', page)
    assert found
    response = client.post(reverse("mfa_activate_totp"), {"code": code_of(found[1])})
    assert response.headers["Location"] == reverse("mfa_view_recovery_codes")
    return found[1]


def is_in(client: Client) -> bool:
    return SESSION_KEY in client.session


def test_the_code_is_drawn_by_the_server_as_svg(olivia: Persona) -> None:
    client = sign_in(olivia)
    confirm_it_is_me(client)
    page = client.get(reverse("mfa_activate_totp")).content.decode()
    assert 'src="data:image/svg+xml;base64,' in page


def test_setting_a_factor_up_asks_for_the_password_again(olivia: Persona) -> None:
    client = sign_in(olivia)
    for name in ("mfa_activate_totp", "mfa_add_webauthn", "mfa_generate_recovery_codes"):
        location = client.get(reverse(name)).headers["Location"]
        assert location.startswith(reverse("account_reauthenticate"))


def test_the_password_alone_no_longer_lets_in(olivia: Persona) -> None:
    secret = set_up_app(sign_in(olivia))
    client = sign_in(olivia)
    assert not is_in(client)
    assert client.post(reverse("mfa_authenticate"), {"code": "000000"}).status_code == 200
    assert not is_in(client)
    client.post(reverse("mfa_authenticate"), {"code": code_of(secret, steps=1)})
    client.post(reverse("mfa_trust"), {"action": "skip"})
    assert is_in(client)


@pytest.mark.django_db(transaction=True)
def test_the_code_that_switched_the_app_on_signs_nobody_in(
    olivia: Persona, time_machine: Any
) -> None:
    time_machine.move_to(datetime(2026, 3, 9, 12, 0, 1, tzinfo=UTC), tick=False)
    secret = set_up_app(sign_in(olivia))
    client = sign_in(olivia)
    client.post(reverse("mfa_authenticate"), {"code": code_of(secret)})
    client.post(reverse("mfa_trust"), {"action": "skip"})
    assert not is_in(client)
    time_machine.move_to(datetime(2026, 3, 9, 12, 0, 31, tzinfo=UTC), tick=False)
    client.post(reverse("mfa_authenticate"), {"code": code_of(secret)})
    client.post(reverse("mfa_trust"), {"action": "skip"})
    assert is_in(client)


def test_a_code_works_once(olivia: Persona) -> None:
    secret = set_up_app(sign_in(olivia))
    code = code_of(secret, steps=1)
    first, second = sign_in(olivia), sign_in(olivia)
    first.post(reverse("mfa_authenticate"), {"code": code})
    second.post(reverse("mfa_authenticate"), {"code": code})
    second.post(reverse("mfa_trust"), {"action": "skip"})
    assert not is_in(second)


def test_guessing_codes_is_stopped(olivia: Persona) -> None:
    secret = set_up_app(sign_in(olivia))
    client = sign_in(olivia)
    for number in range(5):
        client.post(reverse("mfa_authenticate"), {"code": f"00000{number}"})
    page = client.post(reverse("mfa_authenticate"), {"code": code_of(secret, steps=1)})
    assert "Too many tries" in page.content.decode()
    assert not is_in(client)


def test_recovery_codes_are_shown_once_and_work_once(olivia: Persona) -> None:
    client = sign_in(olivia)
    set_up_app(client)
    page = client.get(reverse("mfa_view_recovery_codes")).content.decode()
    codes = re.findall(r"<li><code>(\w+)</code></li>", page)
    assert len(codes) == 10
    again = client.get(reverse("mfa_view_recovery_codes")).content.decode()
    assert not any(code in again for code in codes)
    for expected in (True, False):
        other = sign_in(olivia)
        other.post(reverse("mfa_authenticate"), {"code": codes[0]})
        other.post(reverse("mfa_trust"), {"action": "skip"})
        assert is_in(other) == expected


def test_a_trusted_browser_is_not_asked_again_but_another_is(olivia: Persona) -> None:
    secret = set_up_app(sign_in(olivia))
    client = sign_in(olivia)
    client.post(reverse("mfa_authenticate"), {"code": code_of(secret, steps=1)})
    client.post(reverse("mfa_trust"), {"action": "trust"})
    client.post(reverse("account_logout"))
    assert is_in(sign_in(olivia, client))
    assert not is_in(sign_in(olivia))


def test_trust_ends_with_the_password(olivia: Persona) -> None:
    secret = set_up_app(sign_in(olivia))
    client = sign_in(olivia)
    client.post(reverse("mfa_authenticate"), {"code": code_of(secret, steps=1)})
    client.post(reverse("mfa_trust"), {"action": "trust"})
    client.post(reverse("account_logout"))
    olivia.user.set_password("green-lantern-43")
    olivia.user.save()
    form = {"login": olivia.user.email, "password": "green-lantern-43"}
    client.post(reverse("account_login"), form)
    assert not is_in(client)


def test_secrets_of_factors_are_encrypted_in_the_database(olivia: Persona) -> None:
    secret = set_up_app(sign_in(olivia))
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in stored
    assert "gAAAA" in stored


def test_changes_of_factors_are_in_the_audit(
    olivia: Persona, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        secret = set_up_app(sign_in(olivia))
    rows = PlatformAuditEvent.objects.filter(action="login.factor_added")
    assert {row.details["type"] for row in rows} == {"totp", "recovery_codes"}
    assert secret not in str(list(PlatformAuditEvent.objects.values()))


def test_a_space_can_require_it_of_its_members(olivia: Persona, victor: Persona) -> None:
    owner = sign_in(olivia)
    set_up_app(owner)
    assert victor.client.get("/knowledge/").status_code == 200
    owner.post(reverse("space_two_factor"), {"required": "on"})
    response = victor.client.get("/knowledge/")
    assert response.headers["Location"] == reverse("two_factor_required")
    assert victor.client.get(reverse("two_factor_required")).status_code == 200
    assert owner.get("/knowledge/").status_code == 200
    set_up_app(sign_in(victor))
    assert victor.client.get("/knowledge/").status_code == 200


def test_without_it_no_socket_opens_the_space_either(olivia: Persona) -> None:
    scope = {"user": olivia.user, "session": olivia.client.session}
    assert _actor_of_scope(dict(scope)) is not None
    type(olivia.space).objects.update(requires_two_factor=True)
    assert _actor_of_scope(dict(scope)) is None


def test_an_owner_without_it_does_not_shut_themselves_out(olivia: Persona) -> None:
    olivia.client.post(reverse("space_two_factor"), {"required": "on"})
    olivia.space.refresh_from_db()
    assert not olivia.space.requires_two_factor


@pytest.mark.parametrize("name", ["adam", "victor"])
def test_only_owners_require_it(name: str, request: pytest.FixtureRequest) -> None:
    person: Persona = request.getfixturevalue(name)
    assert person.client.post(reverse("space_two_factor"), {"required": "on"}).status_code == 403


@pytest.mark.parametrize(
    ("whom", "is_staff", "led"),
    [("staff", True, True), ("staff", False, False), ("everybody", False, True)],
)
def test_the_installation_can_require_it(
    olivia: Persona, settings: Any, whom: str, is_staff: bool, led: bool
) -> None:
    settings.REQUIRE_TWO_FACTOR = whom
    olivia.user.is_staff = is_staff
    olivia.user.save()
    response = olivia.client.get("/knowledge/")
    assert (response.status_code == 302) == led
    assert olivia.client.get("/spaces/").status_code == 200
    assert (olivia.client.get("/spaces/current/").status_code == 302) == led


def test_the_last_factor_is_kept_where_one_is_required(olivia: Persona, settings: Any) -> None:
    client = sign_in(olivia)
    set_up_app(client)
    settings.REQUIRE_TWO_FACTOR = "everybody"
    page = client.post(reverse("mfa_deactivate_totp")).content.decode()
    assert "your only method" in page
    settings.REQUIRE_TWO_FACTOR = "nobody"
    client.post(reverse("mfa_deactivate_totp"))
    assert not Authenticator.objects.exists()


def test_who_has_no_password_sets_a_factor_up_after_a_fresh_sign_in(
    olivia: Persona, settings: Any
) -> None:
    client = sign_in(olivia)
    SocialAccount.objects.create(user=olivia.user, provider="oidc", uid="x")
    olivia.user.set_unusable_password()
    olivia.user.save()
    session = client.session
    session["_auth_user_hash"] = olivia.user.get_session_auth_hash()
    session.save()
    assert client.get(reverse("mfa_add_webauthn")).status_code == 200
    session["account_authentication_methods"] = [{"method": "socialaccount", "at": 0}]
    session.save()
    page = client.get(reverse("mfa_add_webauthn"))
    assert page.status_code == 409
    assert "sign in again" in page.content.decode()


@pytest.mark.parametrize("name", ["mfa_edit_webauthn", "mfa_remove_webauthn"])
def test_nobody_touches_the_passkey_of_another(
    olivia: Persona, mallory: Persona, name: str
) -> None:
    key = Authenticator.objects.create(
        user=olivia.user, type=Authenticator.Type.WEBAUTHN, data={"name": "Laptop"}
    )
    client = sign_in(mallory)
    confirm_it_is_me(client)
    url = reverse(name, args=[key.pk])
    assert client.get(url).status_code == 404
    assert client.post(url, {"name": "Mine"}).status_code == 404
