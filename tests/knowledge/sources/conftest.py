"""A base of cora's; files below the test's own folder, no broker, an embedding model of words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app

from knowledge.ingest import pipeline
from knowledge.models import KnowledgeBase
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    monkeypatch.setattr(pipeline, "get_embedding_model", lambda *_, **__: WordModel())


@pytest.fixture
def shelf(cora: Persona) -> Iterator[KnowledgeBase]:
    made = make_base(cora.space, name="Shelf", created_by=cora.user)
    with cora.scope():
        yield made
