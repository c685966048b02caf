"""A space that remembers, people in it, and a model that writes what a test says."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from celery import current_app
from django.core.cache import cache

from agents import writing
from agents.constants import MemoryKind, MemoryOrigin
from agents.engine.testing import ScriptedModel, say
from agents.memory.items import Draft, write_item
from agents.memory.owners import own_memory
from agents.models import MemoryItem, MemorySettings
from agents.runs import prepare as prepare_module
from core.jobs.handlers import JobContext
from core.models import BackgroundJob, JobState
from core.tenancy import space_scope
from tests.factories.agents import make_agent
from tests.factories.providers import make_model
from tests.personas import Persona

Writer = Callable[..., ScriptedModel]


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests run jobs themselves; nobody is woken, and nothing is cached from another test."""
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    cache.clear()


@pytest.fixture
def cora_remembers(transactional_db: None, cora: Persona) -> Iterator[Persona]:
    """Cora, in her space, which remembers what it is asked to; with an agent and a model."""
    make_model(cora.space, type="chat", is_default=True)
    make_agent(cora.space, name="Reasoner")
    with space_scope(cora.space.pk):
        MemorySettings.objects.create(space=cora.space, is_enabled=True)
        yield cora


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> Writer:
    """Let the model of background jobs answer these values, one a call."""

    def play(*answers: Any) -> ScriptedModel:
        turns = [
            [each]
            if isinstance(each, Exception)
            else say(each if isinstance(each, str) else json.dumps(each))
            for each in answers
        ]
        model = ScriptedModel(turns)
        monkeypatch.setattr(writing, "get_chat_model", lambda row: model)
        return model

    return play


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Writer:
    """Let the model of runs play these turns."""

    def play(*texts: str) -> ScriptedModel:
        model = ScriptedModel([say(text) for text in texts])
        monkeypatch.setattr(prepare_module, "get_chat_model", lambda row: model)
        return model

    return play


def keep(persona: Persona, text: str, **fields: Any) -> MemoryItem:
    """Let the person remember something."""
    values = {"kind": MemoryKind.FACT, "origin": MemoryOrigin.MANUAL, **fields}
    written = write_item(own_memory(persona.actor), Draft(text=text, **values))
    assert written.item is not None, written.reason
    return written.item


def a_job() -> JobContext:
    """Return the context of a job that is this worker's."""
    row = BackgroundJob.objects.create(
        name="test", queue="default", state=JobState.RUNNING, lease_epoch=1, id=uuid4()
    )
    return JobContext(
        job_id=row.pk, space_id=0, attempt=1, lease_epoch=1, deadline=time.monotonic() + 60
    )


__all__ = ["Writer", "a_job", "keep"]
