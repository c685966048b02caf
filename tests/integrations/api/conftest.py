"""Clients of the API: keys, people in a browser, nobody."""

from __future__ import annotations

from typing import Any

import pytest
from celery import current_app
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from agents.models import Agent
from tests.factories.agents import make_agent
from tests.factories.keys import HeldKey
from tests.factories.providers import make_model
from tests.personas import Persona

API = "/api/v1"


@pytest.fixture(autouse=True)
def _fresh(settings: Settings, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count from nothing, keep files aside, wake nobody."""
    settings.MEDIA_ROOT = tmp_path
    cache.clear()
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def quick(olivia: Persona) -> Agent:
    """A space that can answer: its models and the built-in quick answer."""
    make_model(olivia.space, type="embedding", is_default=True)
    make_model(olivia.space, type="chat", is_default=True)
    return make_agent(olivia.space, name="Quick", mode="quick", builtin_key="quick-answer")


def call(
    method: str,
    path: str,
    body: Any = None,
    *,
    key: HeldKey | None = None,
    headers: dict[str, str] | None = None,
    client: Client | None = None,
) -> Any:
    """Send one request of JSON below /api/v1."""
    sent = {**(key.headers if key else {}), **(headers or {})}
    send = getattr(client or Client(), method.lower())
    if body is None:
        return send(f"{API}{path}", headers=sent)
    return send(f"{API}{path}", body, content_type="application/json", headers=sent)


def code_of(response: Any) -> int:
    """Return the number of a failure, after a look at the envelope."""
    body = response.json()
    assert body["success"] is False
    assert set(body["error"]) == {"code", "message", "details"}
    assert isinstance(body["error"]["message"], str)
    return int(body["error"]["code"])


def data_of(response: Any, status: int = 200) -> Any:
    """Return the data of a success."""
    assert response.status_code == status, response.content
    body = response.json()
    assert body["success"] is True
    return body.get("data")
