"""Ten Japanese and ten Korean questions over small documents, with the built-in models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from accounts.actors import system_actor
from core.tenancy import space_scope
from knowledge.ingest.embed import embed_chunks
from knowledge.ingest.index import index_chunks
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from providers.models import AIModel
from providers.services.builtin import sync_builtin_models
from providers.services.clients import get_embedding_model
from tests.factories.accounts import make_space
from tests.factories.knowledge import make_base, make_document
from tests.providers.local_server import LocalServer, models_data_dir, running_server

DATA = Path(__file__).parents[2] / "data" / "cjk"


def rows_of(language: str) -> list[dict[str, Any]]:
    lines = (DATA / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    """The built-in models, for this file only: they take half a gigabyte."""
    with running_server(models_data_dir()) as running:
        yield running


@pytest.fixture
def local_models(server: LocalServer, settings: Settings) -> LocalServer:
    settings.LOCAL_MODELS_URL, settings.LOCAL_MODELS_KEY = server.url, server.key
    return server


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_each_of_ten_questions_finds_its_document(db, local_models, language):
    # Files are named by number: the text alone must be found.
    rows = [{**row, "name": f"{n}.txt"} for n, row in enumerate(rows_of(language), 1)]
    questions = [row for row in rows if "question" in row]
    assert (len(questions), len(rows) >= 20) == (10, True)
    space = make_space()
    sync_builtin_models(space.pk)
    with space_scope(space.pk):
        model = AIModel.objects.get(builtin_key="local-e5")
        base = make_base(space, embedding_model=model)
        for row in rows:
            document = make_document(base, name=row["name"], texts=[row["text"]])
            embed_chunks(document, model=get_embedding_model(model))
            index_chunks(document)
        actor = system_actor(space_id=space.pk)
        found = {
            row["question"]: retrieve(actor, query=row["question"], scope=Scope())
            for row in questions
        }
    first = {question: result.hits[0].document_name for question, result in found.items()}
    assert first == {row["question"]: row["name"] for row in questions}
    assert [result.warnings for result in found.values()] == [()] * 10
    assert not any(result.other_language for result in found.values())
