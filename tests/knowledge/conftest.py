"""A base with an open scope, and models that need no server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from knowledge.models import KnowledgeBase
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona


@pytest.fixture
def base(victor: Persona) -> Iterator[KnowledgeBase]:
    """An empty base of space A, inside of the space's scope."""
    with victor.scope():
        yield make_base(victor.space, name="Handbook")


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> WordModel:
    """The embedding model of every base; there is no rerank model."""
    model = WordModel()
    monkeypatch.setattr("knowledge.retrieval.models.get_embedding_model", lambda row: model)
    monkeypatch.setattr("knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: None)
    return model
