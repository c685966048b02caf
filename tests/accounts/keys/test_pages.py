"""Pages of keys and of the playground."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.keys.authentication import authenticate
from accounts.keys.capabilities import Capability
from accounts.models import ApiKey, AuditEvent
from tests.factories.keys import make_key
from tests.factories.knowledge import make_base
from tests.personas import Persona

FORM = {"name": "Portal", "expires_in": "30", "capabilities": ["retrieve", "chat"]}
KEY = re.compile(r"wk-[\w-]{43}")


def test_a_key_is_made_and_shown_once(olivia: Persona) -> None:
    base = make_base(olivia.space, name="Hangar")
    response = olivia.client.post(reverse("keys"), {**FORM, "base_ids": [str(base.pk)]})
    found = KEY.search(response.content.decode())
    assert found is not None
    key = authenticate(found.group()).key
    assert (key.name, key.base_ids) == ("Portal", [str(base.pk)])
    assert key.expires_at is not None
    assert key.expires_at - timezone.now() > timedelta(days=29)
    assert "no-store" in response.headers["Cache-Control"]
    again = olivia.client.get(reverse("keys")).content.decode()
    assert "Portal" in again
    assert "Hangar" in again
    assert not KEY.search(again)


def test_what_is_wrong_stands_at_its_field_and_choices_stay(olivia: Persona) -> None:
    response = olivia.client.post(reverse("keys"), {**FORM, "name": ""})
    text = response.content.decode()
    assert response.status_code == 422
    assert "This field is required" in text
    assert re.search(r'value="chat" checked', text)
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize("capability", ["system_audit_read", "nonsense"])
def test_what_the_form_does_not_offer_is_refused(olivia: Persona, capability: str) -> None:
    response = olivia.client.post(reverse("keys"), {**FORM, "capabilities": [capability]})
    assert response.status_code == 422
    assert not ApiKey.objects.exists()


def test_rotation_shows_the_new_key_and_lets_the_old_one_end(olivia: Persona) -> None:
    held = make_key(olivia.space, Capability.CHAT)
    path = reverse("key_rotate", args=[held.key.pk])
    text = olivia.client.post(path, {"grace_hours": "0"}).content.decode()
    found = KEY.search(text)
    assert found is not None
    assert authenticate(found.group()).key.identity == held.key.identity
    held.key.refresh_from_db()
    assert held.key.expires_at is not None
    assert held.key.expires_at <= timezone.now()


def test_revoking_is_told(olivia: Persona) -> None:
    held = make_key(olivia.space, name="Portal")
    path = reverse("key_revoke", args=[held.key.pk])
    response = olivia.client.post(path, follow=True)
    assert "Portal opens nothing any more." in response.content.decode()


def test_the_playground_gets_a_credential_of_a_key(olivia: Persona) -> None:
    held = make_key(olivia.space, Capability.RETRIEVE)
    path = reverse("key_test", args=[held.key.pk])
    answer = olivia.client.post(path, {"subject": "customer-7"}).json()
    assert held.text not in str(answer)
    response = Client().get(reverse("api:auth_me"), headers=answer["headers"])
    assert response.json()["data"]["principal"]["type"] == "external"
    with olivia.scope():
        assert AuditEvent.objects.filter(action="key.test", details__for_external_person=True)


def test_a_revoked_key_gives_no_credential(olivia: Persona) -> None:
    held = make_key(olivia.space)
    ApiKey.objects.update(revoked_at=timezone.now())
    assert olivia.client.post(reverse("key_test", args=[held.key.pk])).status_code == 409


def test_the_playground_offers_every_described_route(olivia: Persona) -> None:
    make_key(olivia.space, name="Portal")
    text = olivia.client.get(reverse("api_playground")).content.decode()
    for route in ("POST /api/v1/knowledge-search", "POST /api/v1/agent-chat/{session_id}"):
        assert route in text
    assert "Portal" in text


@pytest.mark.parametrize("name", ["adam", "cora", "victor"])
def test_only_owners_find_the_way_there(
    request: pytest.FixtureRequest, olivia: Persona, name: str
) -> None:
    persona: Persona = request.getfixturevalue(name)
    link = f'href="{reverse("keys")}"'
    assert link in olivia.client.get(reverse("profile")).content.decode()
    assert link not in persona.client.get(reverse("profile")).content.decode()
