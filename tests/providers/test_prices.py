"""Prices of models: entered in the form, one currency a space."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from providers.models import AIModel
from providers.parameters import read_parameters
from tests.factories.providers import make_model
from tests.personas import Persona


def entered(**fields: Any) -> dict[str, Any]:
    return {
        "name": "Priced",
        "type": "chat",
        "provider": "openai_compatible",
        "model_id": "m",
        "base_url": "http://127.0.0.1:9/v1",
        "parameters": '{"context_tokens": 4096}',
        "max_concurrency": 4,
        "is_enabled": "on",
        **fields,
    }


def test_prices_are_stored_with_the_parameters_and_shown_again(adam: Persona) -> None:
    prices = {"input_price": "0.25", "output_price": "2", "currency": "EUR"}
    assert adam.client.post(reverse("model_new"), entered(**prices)).status_code == 302
    with adam.scope():
        row = AIModel.objects.get()
    found = read_parameters(row.parameters)
    assert (found.input_price, found.output_price, found.cached_price) == (0.25, 2.0, None)
    assert (found.currency, found.context_tokens) == ("EUR", 4096)
    text = adam.client.get(reverse("model", args=[row.pk])).content.decode()
    assert 'value="0.25"' in text
    assert "input_price&quot;" not in text, "it stands in its field, not among the parameters"


def test_an_emptied_price_is_gone(adam: Persona) -> None:
    row = make_model(adam.space, parameters={"input_price": 3.0})
    adam.client.post(reverse("model", args=[row.pk]), entered(parameters="{}"))
    with adam.scope():
        row.refresh_from_db()
    assert read_parameters(row.parameters).input_price is None


@pytest.mark.parametrize(
    "fields",
    [{"input_price": "-1"}, {"currency": "euro"}, {"output_price": "NaN"}],
    ids=["negative", "no currency", "not a number"],
)
def test_what_is_no_price_is_refused(adam: Persona, fields: dict[str, str]) -> None:
    assert adam.client.post(reverse("model_new"), entered(**fields)).status_code == 422


def test_a_space_has_one_currency(adam: Persona) -> None:
    make_model(adam.space, parameters={"input_price": 3.0, "currency": "EUR"})
    answer = adam.client.post(reverse("model_new"), entered(input_price="1", currency="USD"))
    assert answer.status_code == 422
    assert "other models are in EUR" in answer.content.decode()
    priceless = adam.client.post(reverse("model_new"), entered(currency="USD"))
    assert priceless.status_code == 302
