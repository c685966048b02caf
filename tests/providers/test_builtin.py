"""The file of built-in models: strict variables, checked entries."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from core.errors import Invalid
from providers.builtin import read_builtin_models

LOCAL = ["local-extractive", "local-e5", "local-maxsim"]


def keys(environment: dict[str, str]) -> list[str]:
    return [entry.key for entry in read_builtin_models(environment=environment)]


def test_without_variables_only_the_local_models_are_there(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    assert keys({}) == LOCAL
    assert "env-chat is left out: LLM_MODEL_NAME is not set" in caplog.text


def test_variables_fill_an_entry_and_defaults_stand_in() -> None:
    environment = {"LLM_MODEL_NAME": "gpt", "LLM_BASE_URL": "https://llm.example/v1"}
    first, *rest = read_builtin_models(environment=environment)
    assert (first.name, first.model_id, first.base_url) == ("gpt", "gpt", "https://llm.example/v1")
    assert first.api_key == ""
    assert [entry.key for entry in rest] == LOCAL


def test_a_half_set_entry_is_left_out() -> None:
    assert keys({"LLM_MODEL_NAME": "gpt", "LLM_API_KEY": "sk-secret-value"}) == LOCAL


def test_keys_are_not_in_a_representation() -> None:
    environment = {
        "LLM_MODEL_NAME": "gpt",
        "LLM_BASE_URL": "https://llm.example/v1",
        "LLM_API_KEY": "sk-secret-value",
    }
    assert "sk-secret-value" not in repr(read_builtin_models(environment=environment))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("models: 3", "needs a list"),
        ("models: [{key: A B, name: x, type: chat, provider: local, model_id: m}]", "key"),
        ("models: [{key: a, name: x, type: chat, provider: local, model_id: m, odd: 1}]", "odd"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=problem):
        read_builtin_models(file, {})


def test_a_wrong_address_says_what_would_work(tmp_path: Path) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(
        "models: [{key: a, name: x, type: chat, provider: openai_compatible, model_id: m,"
        " base_url: llm.example}]",
        encoding="utf-8",
    )
    with pytest.raises(Invalid, match="https://api.example.com"):
        read_builtin_models(file, {})
