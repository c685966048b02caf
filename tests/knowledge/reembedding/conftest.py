"""A base with an old and a new embedding model; both stand in this process and know words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from celery import current_app
from django.core.cache import cache

from core.errors import Conflict, NotFound
from core.jobs.work import work
from core.tenancy import space_scope
from knowledge.models import Document, KnowledgeBase
from providers.models import AIModel
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona


class Words(WordModel):
    """A model that can be told to do something before it answers: fail, or let the world change."""

    def __init__(self, *, identity: str, dimensions: int) -> None:
        super().__init__(identity=identity, dimensions=dimensions)
        self.before: Callable[[Sequence[str]], None] = lambda texts: None

    def embed(self, texts: Any, *, kind: Any) -> Any:
        self.before(texts)
        return super().embed(texts, kind=kind)


@dataclass
class Models:
    """Which model answers behind which row."""

    by_row: dict[UUID, Words] = field(default_factory=dict)

    def get(self, row: AIModel | UUID | None, **_: Any) -> Words:
        found = AIModel.objects.filter(pk=row).first() if isinstance(row, UUID) else row
        if found is None:
            raise NotFound("The model was removed.")
        if not found.is_enabled:
            raise Conflict("The model is turned off.")
        return self.by_row[found.pk]


@dataclass
class Shelf:
    """A base of olivia's with two documents, and the models."""

    olivia: Persona
    base: KnowledgeBase
    old: AIModel
    new: AIModel
    models: Models

    @property
    def old_words(self) -> Words:
        return self.models.by_row[self.old.pk]

    @property
    def new_words(self) -> Words:
        return self.models.by_row[self.new.pk]

    def add(self, *texts: str, name: str = "") -> Document:
        """Put in a document that is embedded and indexed by the model that is live."""
        self.base.refresh_from_db()
        model = self.models.get(self.base.embedding_model_id)
        return add_document(self.base, *texts, name=name, model=model)

    def work_off(self) -> None:
        """Carry out what is enqueued."""
        while work("enrich"):
            pass


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Models:
    return put_models_in(monkeypatch)


def put_models_in(monkeypatch: pytest.MonkeyPatch) -> Models:
    """Let models of this process answer wherever one is asked; there is no rerank model."""
    made = Models()
    for place in (
        "knowledge.ingest.pipeline",
        "knowledge.corrections.tasks",
        "knowledge.enrich.made",
        "knowledge.faq.indexing",
        "knowledge.reembedding.build",
        "knowledge.reembedding.services",
        "knowledge.retrieval.models",
    ):
        monkeypatch.setattr(f"{place}.get_embedding_model", made.get)
    monkeypatch.setattr("knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: None)
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    return made


def make_shelf(owner: Persona, models: Models, *, name: str = "Shelf") -> Shelf:
    """Make a base with two models; needs an open scope."""
    old, new = (
        make_model(owner.space, type="embedding", name=f"{each} of {name}")
        for each in ("Old", "New")
    )
    models.by_row[old.pk] = Words(identity="old/1", dimensions=384)
    models.by_row[new.pk] = Words(identity="new/1", dimensions=64)
    base = make_base(
        owner.space,
        name=name,
        created_by=owner.user,
        embedding_model=old,
        embedding_identity="old/1",
    )
    return Shelf(olivia=owner, base=base, old=old, new=new, models=models)


@pytest.fixture
def shelf(olivia: Persona, models: Models) -> Iterator[Shelf]:
    cache.clear()
    with space_scope(olivia.space.pk):
        made = make_shelf(olivia, models)
        made.add("The lamp burns at the pier.", "Ropes hang in the store.", name="harbour.txt")
        made.add("The bell rings in the fog.", name="signals.txt")
        yield made
