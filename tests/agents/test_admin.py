"""The admin site of agents: it shows how things stand, and nothing of what was said."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.contracts.world import make_world
from tests.factories.accounts import make_user
from tests.personas import LOGIN_BACKEND, Persona


@pytest.fixture
def root(db: None) -> Client:
    client = Client()
    client.force_login(make_user(is_superuser=True, is_staff=True), backend=LOGIN_BACKEND)
    return client


@pytest.mark.parametrize("model", ["agent", "conversation", "agentrun"])
def test_superusers_of_no_space_see_the_rows_of_all(
    root: Client, olivia: Persona, mallory: Persona, settings: object, tmp_path: object, model: str
) -> None:
    settings.MEDIA_ROOT = tmp_path  # type: ignore[attr-defined]  # pytest-django's settings
    world = make_world({"olivia": olivia, "mallory": mallory})
    page = root.get(reverse(f"admin:agents_{model}_changelist")).content.decode()
    assert "Space A" in page
    assert ("Space B" in page) == (model == "agent")
    for secret in ("What is to be checked?", "The flaps.", world.conversation.title):
        assert secret not in page


def test_no_row_opens_and_none_is_made(root: Client, olivia: Persona) -> None:
    for model in ("agent", "conversation", "agentrun"):
        assert root.get(reverse(f"admin:agents_{model}_add")).status_code == 403


def test_admins_of_a_space_are_no_superusers(olivia: Persona) -> None:
    response = olivia.client.get(reverse("admin:agents_conversation_changelist"))
    assert response.status_code == 302
