"""A document of several passages, read by the pipeline in this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from celery import current_app

from core.jobs.work import work
from knowledge.constants import ChunkKind, DocumentState
from knowledge.corrections import tasks
from knowledge.ingest import pipeline
from knowledge.models import Chunk, Document
from knowledge.services.documents import add_document, retry_document, set_processing
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

CHAPTERS = ("Lamps", "Ropes", "Boats", "Tides")
TEXT = "\n\n".join(
    f"# {name}\n\nThe {name.lower()} of the harbor are looked after by keeper {number}."
    f" Every evening keeper {number} counts the {name.lower()} and writes the hour into the book."
    f" Who takes one of the {name.lower()} signs for it with keeper {number}."
    for number, name in enumerate(CHAPTERS, 1)
)
SMALL = {"split": {"size_characters": 240, "overlap_characters": 0}}
LARGE = {"split": {"size_characters": 2000, "overlap_characters": 0, "strategy": "recursive"}}
TINY = {"split": {"size_characters": 200, "overlap_characters": 0, "strategy": "recursive"}}
IN_PARTS = {"split": {"parents": True, "parent_characters": 600, "child_characters": 120}}


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    for module in (pipeline, tasks):
        monkeypatch.setattr(module, "get_embedding_model", lambda *_, **__: WordModel())


@dataclass(kw_only=True)
class Shelf:
    """A document and the person whose base it is in."""

    person: Persona
    document: Document

    def passages(self) -> list[Chunk]:
        rows = Chunk.objects.filter(document=self.document, kind=ChunkKind.TEXT)
        return list(rows.order_by("position"))

    def passage(self, part: str) -> Chunk:
        (found,) = [row for row in self.passages() if part in row.text]
        return found

    def text(self) -> str:
        return "\n\n".join(row.text for row in self.passages())

    def read_again(self, processing: dict[str, Any] | None = None) -> None:
        """Read it with these settings."""
        if processing is not None:
            set_processing(self.person.actor, document_id=self.document.pk, processing=processing)
        retry_document(self.person.actor, document_id=self.document.pk)
        self.work()

    def work(self) -> None:
        while work("ingest"):
            pass
        self.document.refresh_from_db()
        assert self.document.state == DocumentState.COMPLETED, self.document.reason


@pytest.fixture
def shelf(cora: Persona) -> Iterator[Shelf]:
    base = make_base(cora.space, name="Harbor", created_by=cora.user, options=SMALL)
    with cora.scope():
        document = add_document(
            cora.actor, base_id=base.pk, name="harbor.md", content=TEXT.encode()
        )
        found = Shelf(person=cora, document=document)
        found.work()
        yield found
