"""A base of questions and answers of cora's; no broker, and an embedding model of words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app

from core.jobs.work import work
from knowledge.constants import BaseKind
from knowledge.faq import indexing
from knowledge.faq.drafts import EntryDraft
from knowledge.faq.services import create_entry
from knowledge.models import FaqEntry, KnowledgeBase
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> WordModel:
    """The embedding model of indexing and of searches."""
    settings.MEDIA_ROOT = tmp_path
    found = WordModel()
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    monkeypatch.setattr(indexing, "get_embedding_model", lambda *_, **__: found)
    monkeypatch.setattr("knowledge.retrieval.models.get_embedding_model", lambda row: found)
    monkeypatch.setattr("knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: None)
    return found


@pytest.fixture
def faq(cora: Persona) -> Iterator[KnowledgeBase]:
    """An empty base of questions and answers, in the scope of its space."""
    made = make_base(cora.space, name="Support", created_by=cora.user, kind=BaseKind.FAQ)
    with cora.scope():
        yield made


def draft(question: str, *answers: str, **fields: Any) -> EntryDraft:
    """A draft with a standard question and answers."""
    return EntryDraft(standard_question=question, answers=answers or ("Yes.",), **fields)


def make_entry(
    persona: Persona, base: KnowledgeBase, question: str, *answers: str, **fields: Any
) -> FaqEntry:
    """Make an entry by the service."""
    return create_entry(persona.actor, base_id=base.pk, draft=draft(question, *answers, **fields))


def index() -> None:
    """Carry out the jobs that wait."""
    while work("ingest"):
        pass
