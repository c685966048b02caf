"""Trying out how text is split, through the whole of a request."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent
from knowledge.base_settings import SplitOptions, base_settings_of
from knowledge.constants import DocumentState, StageName, StageState
from knowledge.ingest.read import kept_text_key
from knowledge.ingest.wire import document_to_json
from knowledge.models import Document, KnowledgeBase, Stage
from knowledge.parsers.contract import Block, ParsedDocument
from knowledge.services.chunking import (
    LONGEST_PREVIEW,
    TookTooLong,
    estimate_reading,
    preview_split,
)
from knowledge.storage import PARSED_FOLDER, store_json
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db

TEXT = "# Leave\n\n" + "Everybody has thirty days of leave in each year. " * 12
TABLE = "| name | days |\n| --- | --- |\n" + "\n".join(f"| person {n} | {n} |" for n in range(60))


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def shelf(olivia: Persona) -> Iterator[KnowledgeBase]:
    with olivia.scope():
        yield make_base(olivia.space, name="Shelf", created_by=olivia.user)


@pytest.fixture
def guide(shelf: KnowledgeBase) -> Document:
    document = make_document(shelf, name="guide.md", texts=["Some words."])
    kept = ParsedDocument(blocks=(Block(markdown=TEXT), Block(markdown=TABLE)))
    store_json(shelf.space_id, PARSED_FOLDER, kept_text_key(document), document_to_json(kept))
    return document


def fields(**changed: Any) -> dict[str, Any]:
    values = {**SplitOptions().model_dump(), "size_characters": 300, **changed}
    return {f"split_{name}": value for name, value in values.items() if value is not False}


def post(person: Persona, name: str, pk: Any, *, status: int = 200, **data: Any) -> str:
    response = person.client.post(reverse(name, args=[pk]), data)
    assert response.status_code == status, response.content.decode()[-3000:]
    return response.content.decode()


def test_a_text_shows_its_passages_and_why_they_are_cut_so(
    olivia: Persona, shelf: KnowledgeBase
) -> None:
    page = post(olivia, "base_chunking", shelf.pk, text=f"{TEXT}\n\n{TABLE}", **fields())
    assert "<h2>By paragraphs and sentences</h2>" in page
    assert "Headings found: 1; at least 3 are needed." in page
    assert "Other borders of sections found: 0" in page
    assert '<mark class="repeated">| name | days |' in page
    assert page.count('<li class="card piece">') > 4


def test_what_overlaps_is_marked(olivia: Persona, shelf: KnowledgeBase) -> None:
    data = fields(overlap_characters=100)
    page = post(olivia, "base_chunking", shelf.pk, text=TEXT, **data)
    assert '<mark class="overlap">Everybody has thirty days' in page


def test_markup_in_the_text_is_shown_and_never_done(olivia: Persona, shelf: KnowledgeBase) -> None:
    page = post(olivia, "base_chunking", shelf.pk, text="<script>bad()</script> " * 5, **fields())
    assert "<script>bad()" not in page
    assert "&lt;script&gt;bad()" in page


def test_a_text_that_is_too_long_is_413(olivia: Persona, shelf: KnowledgeBase) -> None:
    data = {"text": "x" * (LONGEST_PREVIEW + 1), **fields()}
    page = post(olivia, "base_chunking", shelf.pk, status=413, **data)
    assert "at most 64,000 can be tried out" in page


def test_the_longest_text_is_split_and_at_most_500_passages_are_shown(
    olivia: Persona, shelf: KnowledgeBase
) -> None:
    text = ("## A title\n\n" + "words " * 15 + "\n\n") * 630
    data = fields(parents=True, child_characters=100)
    page = post(olivia, "base_chunking", shelf.pk, text=text[:LONGEST_PREVIEW], **data)
    assert page.count('<li class="card piece">') == 500
    assert "more passages are not shown" in page


def test_a_split_that_takes_too_long_is_504(
    olivia: Persona, shelf: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter(range(0, 10_000, 3))
    with pytest.raises(TookTooLong):
        preview_split(TEXT, SplitOptions(), clock=lambda: next(times))
    monkeypatch.setattr("knowledge.services.chunking.TIMEOUT_SECONDS", -1.0)
    page = post(olivia, "base_chunking", shelf.pk, status=504, text=TEXT, **fields())
    assert "was stopped" in page


def test_settings_that_cannot_be_are_told_at_their_field(
    olivia: Persona, shelf: KnowledgeBase
) -> None:
    page = post(
        olivia, "base_chunking", shelf.pk, status=422, text=TEXT, **fields(size_characters=3)
    )
    assert 'id="id_split_size_characters_error"' in page


def test_saving_changes_the_base_and_says_how_many_documents_are_read_otherwise(
    olivia: Persona, shelf: KnowledgeBase
) -> None:
    make_document(shelf, texts=["one"])
    make_document(shelf, texts=["two"])
    data = fields(strategy="recursive", size_characters=777)
    post(olivia, "base_chunking", shelf.pk, status=302, save="1", **data)
    shelf.refresh_from_db()
    split = base_settings_of(shelf).split
    assert (split.strategy, split.size_characters) == ("recursive", 777)
    page = olivia.client.get(reverse("base_chunking", args=[shelf.pk])).content.decode()
    assert "2 documents were read with other settings" in page
    assert AuditEvent.objects.filter(action="base.change", base_id=shelf.pk).exists()


def test_reading_again_begins_with_every_document(olivia: Persona, shelf: KnowledgeBase) -> None:
    documents = [make_document(shelf, texts=["one"]) for _ in range(2)]
    post(olivia, "base_chunking_read", shelf.pk, status=302)
    rows = Document.objects.filter(pk__in=[each.pk for each in documents])
    assert set(rows.values_list("state", "attempt")) == {(DocumentState.PENDING, 2)}


def test_the_estimate_counts_what_is_read_again(olivia: Persona, shelf: KnowledgeBase) -> None:
    now = timezone.now()
    for seconds in (10, 20):
        document = make_document(shelf, texts=["x" * 300])
        row = Stage.objects.create(
            space_id=shelf.space_id,
            document=document,
            attempt=1,
            name=StageName.PARSE,
            state=StageState.DONE,
            ended_at=now,
        )
        Stage.objects.filter(pk=row.pk).update(started_at=now - timedelta(seconds=seconds))
    make_document(shelf, state=DocumentState.PENDING)
    estimate = estimate_reading(olivia.actor, shelf)
    assert (estimate.documents, estimate.characters, estimate.tokens) == (2, 600, 200)
    assert estimate.seconds == pytest.approx(30)


def test_a_documents_own_text_is_tried(olivia: Persona, guide: Document) -> None:
    page = olivia.client.get(reverse("document_chunking", args=[guide.pk])).content.decode()
    assert "Everybody has thirty days" in page
    assert '<li class="card piece">' in page


def test_what_is_saved_for_a_document_is_what_differs_from_its_base(
    olivia: Persona, guide: Document
) -> None:
    data = fields(size_characters=500)
    post(olivia, "document_chunking", guide.pk, status=302, save="1", **data)
    guide.refresh_from_db()
    assert guide.processing == {"split": {"size_characters": 500}}
    data = fields(size_characters=1_200)
    post(olivia, "document_chunking", guide.pk, status=302, save="1", **data)
    guide.refresh_from_db()
    assert guide.processing == {}


def test_a_document_that_was_not_read_says_so(olivia: Persona, shelf: KnowledgeBase) -> None:
    document = make_document(shelf, name="new.md", state=DocumentState.PENDING)
    page = olivia.client.get(reverse("document_chunking", args=[document.pk])).content.decode()
    assert "was not read yet" in page
