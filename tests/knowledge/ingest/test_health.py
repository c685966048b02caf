"""The rows that say how well each page was read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounts.access import visible
from core.tenancy import space_scope
from knowledge.ingest.health import write_health
from knowledge.models import Document, PageHealth
from knowledge.parsers.contract import Block, ParsedDocument
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(olivia: Persona) -> Iterator[Document]:
    base = make_base(olivia.space, created_by=olivia.user)
    with space_scope(olivia.space.pk):
        yield make_document(base, name="lamps.pdf", texts=["Lamps."])


def parsed(*texts: str) -> ParsedDocument:
    blocks = tuple(Block(markdown=text, page=page) for page, text in enumerate(texts, start=1))
    return ParsedDocument(blocks=blocks, page_count=len(texts), parser="pdf/1")


def test_each_page_has_a_row_and_the_document_their_mean(document: Document) -> None:
    confidence = write_health(document, parsed("The lamp burns. " * 40, "\ufffd" * 640))
    rows = list(PageHealth.objects.filter(document=document))
    assert [(row.page, row.parser) for row in rows] == [(1, "pdf/1"), (2, "pdf/1")]
    assert rows[0].confidence > rows[1].confidence
    assert confidence == pytest.approx(sum(row.confidence for row in rows) / 2, abs=0.1)
    assert document.confidence == confidence


def test_another_reading_takes_the_place_of_the_rows(document: Document) -> None:
    write_health(document, parsed("One. " * 50, "Two. " * 50))
    write_health(document, parsed("One. " * 50))
    assert [row.page for row in PageHealth.objects.filter(document=document)] == [1]


def test_rows_are_as_open_as_the_document(
    olivia: Persona, mallory: Persona, document: Document
) -> None:
    write_health(document, parsed("One."))
    rows = PageHealth.objects.filter(document=document)
    assert visible(olivia.actor, "view", rows).exists()
    assert not visible(mallory.actor, "view", rows).exists()
