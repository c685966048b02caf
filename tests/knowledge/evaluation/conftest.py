"""A base of cora's with some passages and golden questions, and no broker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from celery import current_app

from core.jobs.work import work
from knowledge.evaluation.expected import expected_of
from knowledge.evaluation.golden import GoldenDraft, add_golden
from knowledge.models import Chunk, Document, GoldenQuestion, KnowledgeBase
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona

TEXTS = (
    "The flaps of the wing are checked before each take off.",
    "Fuel is filled in up to the red mark of the tank.",
    "The tower is called on channel twelve before landing.",
    "Snow on the runway is reported to the ground crew.",
)


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def hangar(cora: Persona, words: WordModel) -> Iterator[KnowledgeBase]:
    """A base of cora's with one document of four passages, in the scope of its space."""
    base = make_base(cora.space, name="Hangar", created_by=cora.user)
    with cora.scope():
        add_document(base, *TEXTS, name="manual.txt", model=words)
        yield base


def chunk_with(base: KnowledgeBase, word: str) -> Chunk:
    """The passage of the base with a word."""
    rows = Chunk.objects.select_related("document")
    return rows.get(base=base, text__contains=word)


def golden(
    persona: Persona,
    base: KnowledgeBase,
    question: str,
    *words: str,
    confirmed: bool = True,
    **fields: Any,
) -> GoldenQuestion:
    """A golden question that expects the passages with these words."""
    expected = tuple(expected_of(chunk_with(base, word)) for word in words)
    draft = GoldenDraft(question=question, expected=expected, **fields)
    return add_golden(persona.actor, base_id=base.pk, draft=draft, is_confirmed=confirmed)


def carry_out() -> None:
    """Do the jobs that wait."""
    while work("enrich"):
        pass


def document_of(base: KnowledgeBase) -> Document:
    """The base's only document."""
    return Document.objects.get(base=base)


def recut(base: KnowledgeBase, chunk_id: UUID, *, text: str, content_hash: str) -> None:
    """Give a passage another text, as reading the document again does."""
    Chunk.objects.filter(pk=chunk_id).update(text=text, content_hash=content_hash)
