"""S14, S15, S19, S23, S39: secrets in answers, forms, links, logs, prompts."""

from __future__ import annotations

import logging

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.constants import Role
from agents.runs.prompting import system_prompt
from core.tenancy import space_scope
from providers.models import AIModel
from providers.services.connection import _row_to_try
from providers.services.models import update_model
from providers.values import ModelValues
from tests.factories.accounts import make_invitation
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.personas import Persona

KEY = "sk-very-secret-key-of-the-space"


@pytest.fixture
def model(olivia: Persona) -> AIModel:
    return make_model(
        olivia.space,
        name="Chat",
        base_url="https://llm.example/v1",
        provider="openai_compatible",
        api_key=KEY,
        extra_headers='{"X-Auth": "hush-hush-hush"}',
    )


def entered(**fields: object) -> ModelValues:
    values: dict[str, object] = {
        "name": "Chat",
        "type": "chat",
        "provider": "openai_compatible",
        "model_id": "m",
        "base_url": "https://llm.example/v1",
    }
    return ModelValues(**{**values, **fields})  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize("name", ["olivia", "adam", "cora", "victor"])
def test_s14_no_page_shows_a_key(model: AIModel, name: str, request: pytest.FixtureRequest) -> None:
    person: Persona = request.getfixturevalue(name)
    for url in (reverse("models"), reverse("model", args=[model.pk]), reverse("agents")):
        text = person.client.get(url).content.decode()
        assert KEY not in text
        assert "hush-hush-hush" not in text


def test_s15_an_empty_key_leaves_the_stored_one(model: AIModel, olivia: Persona) -> None:
    with olivia.scope():
        update_model(olivia.actor, model_id=model.pk, values=entered(api_key=None))
        assert AIModel.objects.get(pk=model.pk).api_key == KEY


def test_s15_a_test_uses_the_stored_key_only_towards_its_address(
    model: AIModel, olivia: Persona
) -> None:
    with olivia.scope():
        same = _row_to_try(olivia.actor, model.pk, entered(api_key=None))
        other = _row_to_try(
            olivia.actor, model.pk, entered(api_key=None, base_url="https://evil.example/v1")
        )
    assert same.api_key == KEY
    assert other.api_key == ""


@pytest.mark.parametrize(("name", "sees"), [("adam", True), ("cora", False), ("victor", False)])
def test_s19_links_of_invitations_are_shown_to_who_could_make_them(
    olivia: Persona, name: str, sees: bool, request: pytest.FixtureRequest
) -> None:
    person: Persona = request.getfixturevalue(name)
    invitation = make_invitation(olivia.space, role=Role.VIEWER, invited_by=olivia.user)
    text = person.client.get(reverse("members")).content.decode()
    assert (invitation.token in text) == sees


def test_s23_a_link_s_secret_is_not_in_the_log(
    victor: Persona, caplog: pytest.LogCaptureFixture
) -> None:
    token = "a-secret-token-of-a-link"
    with caplog.at_level(logging.INFO):
        victor.client.get(reverse("invitation", args=[token]))
        logging.getLogger("django.request").warning("Not Found: %s", f"/invitation/{token}/")
    assert caplog.records
    assert token not in caplog.text


def test_s39_a_system_prompt_that_is_told_gives_nothing_away(model: AIModel, cora: Persona) -> None:
    """It may be told: it holds rules and the agent's own instructions, no key, no id, no document."""
    base = make_base(cora.space, name="Payroll")
    document = make_document(base, name="salaries.txt", texts=["Everybody earns the same."])
    agent = make_agent(cora.space, name="Helper", chat_model=model)
    with space_scope(cora.space.pk):
        prompt = system_prompt(agent, has_bases=True, now=timezone.now())
    for secret in (KEY, "llm.example", str(base.pk), str(document.pk), "salaries", cora.user.email):
        assert secret not in prompt
