"""The form of a model: secrets are write-only, mistakes are shown at their field."""

from __future__ import annotations

from typing import Any

from providers.forms import AIModelForm
from providers.queries import card_of
from providers.services.models import create_model
from tests.personas import Persona
from tests.providers.services.test_models import SECRET, values

ENTERED: dict[str, Any] = {
    "name": "Chat",
    "type": "chat",
    "provider": "openai_compatible",
    "model_id": "gpt",
    "base_url": "https://llm.example/v1",
    "api_key": "",
    "extra_headers": "",
    "parameters": "{}",
    "is_enabled": "on",
    "max_concurrency": "4",
}


def test_empty_secrets_mean_unchanged() -> None:
    form = AIModelForm(ENTERED)
    assert form.is_valid(), form.errors
    assert (form.values().api_key, form.values().extra_headers) == (None, None)


def test_secrets_can_be_entered_and_removed() -> None:
    entered = {**ENTERED, "api_key": " k ", "extra_headers": '{"X-A": "1"}'}
    form = AIModelForm(entered)
    assert form.is_valid(), form.errors
    assert (form.values().api_key, form.values().extra_headers) == ("k", {"X-A": "1"})
    form = AIModelForm({**ENTERED, "remove_api_key": "on", "extra_headers": "{}"})
    assert form.is_valid(), form.errors
    assert (form.values().api_key, form.values().extra_headers) == ("", {})


def test_stored_secrets_are_never_rendered(adam: Persona) -> None:
    with adam.scope():
        row = create_model(adam.actor, values=values())
    html = AIModelForm(card=card_of(row)).as_p()
    assert "llm.example" in html
    assert "Leave empty to keep it" in html
    assert SECRET not in html
    assert "hush-hush" not in html


def test_an_entered_key_is_not_rendered_again() -> None:
    form = AIModelForm({**ENTERED, "api_key": SECRET, "name": ""})
    assert not form.is_valid()
    assert SECRET not in form.as_p()


def test_mistakes_stand_at_their_field() -> None:
    wrong = {
        "base_url": "llm.example",
        "extra_headers": "[1]",
        "parameters": '{"temperature": 9}',
        "max_concurrency": "0",
        "type": "magic",
    }
    for field, value in wrong.items():
        form = AIModelForm({**ENTERED, field: value})
        assert not form.is_valid()
        assert list(form.errors) == [field]
