"""Keys of the installation: who makes them, and what they open."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.keys.authentication import authenticate
from accounts.keys.capabilities import Capability
from accounts.models import ApiKey, PlatformAuditEvent, User
from core.errors import NotSignedIn
from tests.factories.accounts import make_user
from tests.factories.keys import HeldKey, make_key
from tests.personas import LOGIN_BACKEND, Persona

PAGE = "platform_keys"
FORM = {
    "name": "Operator's monitor",
    "expires_in": "30",
    "capabilities": ["system_audit_read", "system_runtime_read", "retrieve"],
}
KEY = re.compile(r"wk-[\w-]{43}")


@pytest.fixture
def root(db: None) -> Client:
    """A browser of an administrator of the installation, who is in no space."""
    client = Client()
    user = make_user("root@example.org", is_superuser=True, is_staff=True)
    client.force_login(user, backend=LOGIN_BACKEND)
    return client


def audited() -> list[PlatformAuditEvent]:
    return list(PlatformAuditEvent.objects.filter(action__startswith="key.").order_by("pk"))


def shown_key(text: str) -> str:
    found = KEY.search(text)
    assert found is not None
    return found.group()


def test_an_administrator_makes_a_key_and_reads_it_once(root: Client) -> None:
    response = root.post(reverse(PAGE), FORM)
    text = shown_key(response.content.decode())
    key = authenticate(text).key
    assert (key.space_id, key.name) == (None, "Operator's monitor")
    assert key.capabilities == sorted(FORM["capabilities"])
    assert key.expires_at is not None
    assert key.expires_at - timezone.now() > timedelta(days=29)
    assert "no-store" in response.headers["Cache-Control"]
    again = root.get(reverse(PAGE)).content.decode()
    assert "Read the installation&#x27;s audit log" in again
    assert not KEY.search(again)
    (event,) = audited()
    assert (event.action, event.actor_name, event.ip_address) == (
        "key.create",
        "root@example.org",
        "127.0.0.1",
    )
    assert text not in str(event.details)
    assert key.signing_secret not in str(event.details)


def test_a_key_of_the_installation_opens_the_space_that_a_request_names(
    root: Client, olivia: Persona
) -> None:
    text = shown_key(root.post(reverse(PAGE), FORM).content.decode())
    headers = {"X-API-Key": text, "X-Tenant-ID": str(olivia.space.pk)}
    assert Client().get("/api/v1/knowledge-bases", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "changes",
    [{"name": ""}, {"capabilities": []}, {"capabilities": ["nonsense"]}, {"expires_in": "4"}],
    ids=["no name", "nothing", "unknown", "another time"],
)
def test_what_no_key_can_be_is_told_at_its_field(root: Client, changes: dict[str, object]) -> None:
    response = root.post(reverse(PAGE), {**FORM, **changes})
    assert response.status_code == 422
    assert not ApiKey.objects.exists()


def test_rotation_shows_the_new_key_and_lets_the_old_one_end(root: Client) -> None:
    held = make_key(None, Capability.RETRIEVE)
    path = reverse("platform_key_rotate", args=[held.key.pk])
    text = shown_key(root.post(path, {"grace_hours": "0"}).content.decode())
    assert authenticate(text).key.identity == held.key.identity
    with pytest.raises(NotSignedIn):
        authenticate(held.text)
    (event,) = audited()
    assert (event.action, event.details["grace_seconds"]) == ("key.rotate", 0)
    assert root.post(path, {"grace_hours": "0"}).status_code == 409
    assert root.post(path, {"grace_hours": "7"}).status_code == 400


def test_a_revoked_key_opens_nothing(root: Client) -> None:
    held = make_key(None, Capability.RETRIEVE, name="Monitor")
    path = reverse("platform_key_revoke", args=[held.key.pk])
    for _ in range(2):
        response = root.post(path, follow=True)
        assert "Monitor opens nothing any more." in response.content.decode()
    with pytest.raises(NotSignedIn):
        authenticate(held.text)
    assert [each.action for each in audited()] == ["key.revoke"]


def test_keys_of_spaces_are_not_here(root: Client, olivia: Persona) -> None:
    held = make_key(olivia.space, name="Portal of the space")
    assert "Portal of the space" not in root.get(reverse(PAGE)).content.decode()
    for name in ("platform_key_rotate", "platform_key_revoke"):
        path = reverse(name, args=[held.key.pk])
        assert root.post(path, {"grace_hours": "0"}).status_code == 404
    assert authenticate(held.text).key.pk == held.key.pk


@pytest.fixture
def held(db: None) -> HeldKey:
    """A key of the installation."""
    return make_key(None, name="Monitor")


@pytest.mark.parametrize("name", ["olivia", "adam", "cora", "victor", "mallory"])
def test_people_of_spaces_find_nothing(
    request: pytest.FixtureRequest, held: HeldKey, name: str
) -> None:
    persona: Persona = request.getfixturevalue(name)
    assert persona.client.get(reverse(PAGE)).status_code == 404
    assert persona.client.post(reverse(PAGE), FORM).status_code == 404
    for each in ("platform_key_rotate", "platform_key_revoke"):
        path = reverse(each, args=[held.key.pk])
        assert persona.client.post(path, {"grace_hours": "0"}).status_code == 404
    assert authenticate(held.text).key.pk == held.key.pk
    assert ApiKey.objects.count() == 1
    assert not audited()


def test_staff_and_who_was_an_administrator_find_nothing(root: Client, held: HeldKey) -> None:
    User.objects.update(is_superuser=False)
    assert root.get(reverse(PAGE)).status_code == 404
    assert root.post(reverse("platform_key_revoke", args=[held.key.pk])).status_code == 404


def test_the_console_leads_here(root: Client) -> None:
    assert f'href="{reverse(PAGE)}"' in root.get(reverse("admin:index")).content.decode()
