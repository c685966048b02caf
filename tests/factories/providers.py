"""Models of providers for tests."""

from __future__ import annotations

from itertools import count
from typing import Any

from accounts.models import Space
from core.tenancy import space_scope
from providers.constants import ModelType, Provider
from providers.models import AIModel

_numbers = count(1)


def make_model(space: Space, *, type: str = ModelType.CHAT, **fields: Any) -> AIModel:
    """Make a model row that nobody answers behind."""
    fields.setdefault("name", f"Model {next(_numbers)}")
    fields.setdefault("provider", Provider.OPENAI_COMPATIBLE)
    fields.setdefault("base_url", "http://127.0.0.1:9/v1")
    fields.setdefault("model_id", "test-model")
    with space_scope(space.pk):
        return AIModel.objects.create(space=space, type=type, **fields)
