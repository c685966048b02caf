"""A base whose documents are read and enriched in this process; the chat model plays a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from celery import current_app

from agents.engine.testing import ScriptedModel
from core.jobs.work import work
from core.models import BackgroundJob
from core.tenancy import space_scope
from knowledge.enrich import asking, made
from knowledge.ingest import pipeline
from knowledge.models import Document, KnowledgeBase
from knowledge.services.documents import add_document
from providers.constants import ModelType
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

TEXT = (
    b"# Lamps\n\nThe lamp at the pier burns all night, from dusk until the sun rises."
    b" Its keeper fills the tank each evening and writes the hour into the book.\n\n"
    b"# Ropes\n\nRopes of hemp hang in the store behind the harbour office."
    b" Who takes one brings it back dry, coiled, and hangs it on its hook.\n"
)
Script = Callable[[Sequence[Any]], ScriptedModel]


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    """Files below the test's folder, no broker, and an embedding model in this process."""
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    for module in (pipeline, made):
        monkeypatch.setattr(module, "get_embedding_model", lambda *_, **__: WordModel())


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    """An empty base of space A, in its scope, that asks for one passage a heading."""
    options = {"split": {"size_characters": 200}}
    made_base = make_base(olivia.space, created_by=olivia.user, options=options)
    with space_scope(olivia.space.pk):
        yield made_base


@pytest.fixture
def script(olivia: Persona, monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    """Give the space a chat model that plays these turns; all of them must be asked for."""
    models: list[ScriptedModel] = []

    def play(turns: Sequence[Any]) -> ScriptedModel:
        if not models:
            make_model(olivia.space, type=ModelType.CHAT, is_default=True, name="Scripted")
        model = ScriptedModel(turns)
        models.append(model)
        monkeypatch.setattr(asking, "get_chat_model", lambda _: model)
        return model

    yield play
    for model in models:
        # Not `model.check()`: what it raises is no `Exception` and would end the teardown here.
        assert len(model.asked) == len(model.turns), "the model was asked less often than written"


def add(
    olivia: Persona, base: KnowledgeBase, content: bytes = TEXT, name: str = "store.md"
) -> Document:
    """Put a file into the base."""
    return add_document(olivia.actor, base_id=base.pk, name=name, content=content)


def read(document: Document) -> Document:
    """Have the document read, not enriched."""
    while work("ingest"):
        pass
    document.refresh_from_db()
    return document


def enrich(document: Document) -> Document:
    """Have everything that waits for the document done, at once."""
    BackgroundJob.objects.filter(queue="enrich").update(run_after="2020-01-01T00:00:00Z")
    while work("enrich"):
        pass
    document.refresh_from_db()
    return document
