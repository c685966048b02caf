"""What a new space begins with, through the signal that making one sends."""

from __future__ import annotations

import pytest

from accounts.services.spaces import create_space
from agents.models import Agent
from core.tenancy import space_scope
from providers.constants import ModelType
from providers.models import AIModel
from providers.services.models import default_model
from tests.factories.accounts import make_user


@pytest.mark.django_db
def test_new_space_begins_with_models_and_agents_that_answer() -> None:
    space = create_space(make_user(), name="Fresh")
    with space_scope(space.pk):
        for kind in (ModelType.CHAT, ModelType.EMBEDDING, ModelType.RERANK):
            assert default_model(space.pk, kind).is_enabled
        assert AIModel.objects.exclude(builtin_key="").count() >= 3
        assert set(Agent.objects.values_list("builtin_key", flat=True)) == {
            "quick-answer",
            "smart-reasoning",
            "wiki-researcher",
            "wiki-fixer",
        }
