"""Addresses of models: what admins enter is judged, what the operator's environment names is not."""

from __future__ import annotations

import pytest
from pytest_django import Settings

from core import dialling
from core.addresses import AllowList
from core.errors import Invalid
from providers import builtin
from providers.adapters.endpoint import Endpoint
from providers.adapters.openai_compatible import OpenAIChatModel
from providers.adapters.transport import async_client
from providers.constants import ModelType, Provider
from providers.contracts.chat import ChatMessage
from providers.contracts.errors import ModelError
from providers.values import ModelValues, check_values


@pytest.fixture(autouse=True)
def _nothing_is_open(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.SSRF_ALLOW = AllowList()
    monkeypatch.setattr(dialling, "_trusted", set())


def values(base_url: str) -> ModelValues:
    return ModelValues(
        name="m",
        type=ModelType.CHAT,
        provider=Provider.OPENAI_COMPATIBLE,
        model_id="m",
        base_url=base_url,
    )


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "ollama.lan", "10.1.2.3", "0x7f.1"])
def test_an_inner_address_is_refused_with_the_setting_that_opens_it(host: str) -> None:
    with pytest.raises(Invalid, match="WEKNORA_SSRF_ALLOW") as refused:
        check_values(values(f"http://{host}:11434/v1"))
    assert refused.value.data["field"] == "base_url"


def test_what_the_environment_names_is_trusted_at_its_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:11434/v1")
    monkeypatch.setenv("LLM_MODEL_NAME", "qwen")
    builtin.trust_own_addresses()
    check_values(values("http://127.0.0.1:11434/v1"))
    with pytest.raises(Invalid):
        check_values(values("http://127.0.0.1:11435/v1"))


async def test_a_refused_address_is_told_as_such_by_the_model() -> None:
    """A stored address that was opened once, or a name that turns inward."""
    model = OpenAIChatModel(
        Endpoint(base_url="http://127.0.0.1:11434/v1", model_id="m"), name="m", http=async_client
    )
    with pytest.raises(ModelError, match="WEKNORA_SSRF_ALLOW"):
        async for _ in model.stream([ChatMessage(role="user", content="Hello")]):
            pass
