"""A base whose documents are read here; the models play their part, and OCR reads a list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core.tenancy import space_scope
from knowledge.enrich import made
from knowledge.ingest import pipeline
from knowledge.models import DocumentPicture, KnowledgeBase
from knowledge.pictures import enrichment
from knowledge.retrieval import models
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

Said = Callable[[str], None]


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Any) -> None:
    """Files below the test's folder, no broker, and an embedding model in this process."""
    from celery import current_app

    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    monkeypatch.setattr(models, "get_embedding_model", lambda *_, **__: WordModel())
    for module in (pipeline, made):
        monkeypatch.setattr(module, "get_embedding_model", lambda *_, **__: WordModel())


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    """An empty base of space A, in its scope."""
    made_base = make_base(olivia.space, created_by=olivia.user)
    with space_scope(olivia.space.pk):
        yield made_base


@pytest.fixture(autouse=True)
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What OCR reads in each picture: the words of this list, one after another, then nothing."""
    words: list[str] = []

    def read(_row: DocumentPicture, *, should_cancel: Callable[[], bool]) -> str:
        return words.pop(0) if words and not should_cancel() else ""

    monkeypatch.setattr(enrichment, "text_of_picture", read)
    return words
