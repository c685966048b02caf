"""The strip of a document, the weak pages of a base, and what another engine reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.urls import reverse

from accounts.models import AuditEvent
from core.jobs.work import work
from core.tenancy import space_scope
from knowledge.health import proposals
from knowledge.health.queries import base_pages, read_filter
from knowledge.ingest import pipeline
from knowledge.ingest.read import kept_text_key, with_engine
from knowledge.models import Chunk, Document, KnowledgeBase, PageHealth
from knowledge.services.documents import add_document
from knowledge.storage import PARSED_FOLDER, load_json
from tests.factories.knowledge import make_base, make_document
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = pytest.mark.django_db
PAGE = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 200]/Contents 4 0 R
/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 72>>stream
BT /F1 12 Tf 10 100 Td (The lamp at the pier burns all night.) Tj ET
endstream endobj
trailer<</Root 1 0 R>>
"""


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    made = make_base(olivia.space, created_by=olivia.user)
    with space_scope(olivia.space.pk):
        yield made


def put(document: Document, *values: float, parser: str = "pdf/1", **signals: float) -> None:
    for number, value in enumerate(values, start=1):
        PageHealth.objects.create(
            space_id=document.space_id,
            document=document,
            page=number,
            confidence=value,
            signals=signals,
            parser=parser,
        )


def test_the_strip_has_a_cell_a_page_with_words(olivia: Persona, base: KnowledgeBase) -> None:
    document = make_document(base, name="lamps.pdf", texts=["Lamps."], page_count=3)
    put(document, 0.9, 0.7, 0.2, language=0.1)
    page = olivia.client.get(reverse("document", args=[document.pk])).content.decode()
    assert "3 pages: 1 good, 1 fair, 1 weak" in page
    assert page.count('class="health-cell is-') == 3
    assert "Page 3: weak, 20 % The words do not look like those of any language." in page


def test_the_list_has_the_weakest_page_first(olivia: Persona, base: KnowledgeBase) -> None:
    document = make_document(base, name="lamps.pdf", page_count=3)
    put(document, 0.7, 0.2, 0.95, language=0.1)
    page = olivia.client.get(reverse("base_health", args=[base.pk])).content.decode()
    assert page.index("Page 2") < page.index("Page 1")
    assert "Page 3" not in page


@pytest.mark.parametrize(
    ("asked", "pages"),
    [
        ({"level": "weak"}, [2]),
        ({"level": "all", "order": "document"}, [1, 2, 3]),
        ({"level": "all", "order": "best"}, [3, 1, 2]),
        ({"signal": "ocr"}, []),
        ({"search": "LAMP"}, [2, 1]),
        ({"search": "rope"}, []),
        ({"level": "nonsense", "order": "; drop"}, [2, 1]),
    ],
    ids=str,
)
def test_pages_are_filtered_and_sorted(
    olivia: Persona, base: KnowledgeBase, asked: dict[str, str], pages: list[int]
) -> None:
    put(make_document(base, name="lamps.pdf", page_count=3), 0.7, 0.2, 0.95, language=0.1)
    wanted = read_filter(**{"level": "", "signal": "", "search": "", "order": "", **asked})
    assert [row.page for row in base_pages(olivia.actor, base.pk, wanted)] == pages


def test_a_knowledge_base_without_weak_pages_says_so(olivia: Persona, base: KnowledgeBase) -> None:
    page = olivia.client.get(reverse("base_health", args=[base.pk])).content.decode()
    assert "No weak pages" in page


def test_a_type_with_one_engine_says_so(olivia: Persona, base: KnowledgeBase) -> None:
    document = make_document(base, name="notes.txt")
    put(document, 0.2, parser="text/1", language=0.1)
    page = olivia.client.get(reverse("base_health", args=[base.pk])).content.decode()
    assert "No second engine reads such files." in page


def test_a_viewer_sees_the_list_and_no_buttons(victor: Persona, base: KnowledgeBase) -> None:
    put(make_document(base, name="lamps.pdf", page_count=1), 0.2, language=0.1)
    page = victor.client.get(reverse("base_health", args=[base.pk])).content.decode()
    assert "lamps.pdf" in page
    assert "Try another engine" not in page


@pytest.mark.django_db(transaction=True)
class TestAnotherEngine:
    """On the real parsers."""

    @pytest.fixture
    def document(
        self,
        olivia: Persona,
        base: KnowledgeBase,
        monkeypatch: pytest.MonkeyPatch,
        settings: Any,
        tmp_path: Path,
    ) -> Document:
        settings.MEDIA_ROOT = tmp_path
        monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
        monkeypatch.setattr(pipeline, "get_embedding_model", lambda *_, **__: WordModel())
        made = add_document(olivia.actor, base_id=base.pk, name="lamp.pdf", content=PAGE)
        assert work("ingest")
        made.refresh_from_db()
        assert made.confidence is not None
        return made

    def propose(self, olivia: Persona, document: Document) -> str:
        olivia.client.post(
            reverse("document_engine_try", args=[document.pk]), {"engine": "pdf-plain"}
        )
        return reverse("document_engine", args=[document.pk, "pdf-plain"])

    def test_nothing_changes_before_it_is_taken(self, olivia: Persona, document: Document) -> None:
        chunks = list(Chunk.objects.filter(document=document).values_list("pk", flat=True))
        address = self.propose(olivia, document)
        assert "reads the file" in olivia.client.get(address).content.decode()
        assert work("ingest")
        page = olivia.client.get(address).content.decode()
        assert "Use it for the whole document" in page
        document.refresh_from_db()
        assert document.processing == {}
        assert document.attempt == 1
        assert list(Chunk.objects.filter(document=document).values_list("pk", flat=True)) == chunks

    def test_taking_it_reads_the_document_with_that_engine(
        self, olivia: Persona, document: Document
    ) -> None:
        address = self.propose(olivia, document)
        assert work("ingest")
        olivia.client.post(address, {"action": "take"})
        assert work("ingest")
        document.refresh_from_db()
        assert document.state == "completed"
        assert proposals.engine_of(document) == "pdf-plain"
        assert AuditEvent.objects.filter(action="document.engine_take").exists()
        assert olivia.client.get(address).status_code == 404

    def test_keeping_throws_the_text_away(self, olivia: Persona, document: Document) -> None:
        address = self.propose(olivia, document)
        assert work("ingest")
        asked = with_engine(document, "pdf-plain")
        key = kept_text_key(asked)
        assert load_json(document.space_id, PARSED_FOLDER, key) is not None
        olivia.client.post(address, {"action": "keep"})
        assert load_json(document.space_id, PARSED_FOLDER, key) is None
        assert olivia.client.get(address).status_code == 404

    def test_a_refusal_is_told(self, olivia: Persona, document: Document) -> None:
        address = self.propose(olivia, document)
        proposals.settle(
            document,
            engine="pdf-plain",
            attempt=1,
            reason="It is damaged.",
            check=lambda: None,
        )
        page = olivia.client.get(address).content.decode()
        assert "The other engine gave no text. It is damaged." in page

    def test_an_engine_that_reads_other_types_is_refused(
        self, olivia: Persona, document: Document
    ) -> None:
        address = reverse("document_engine_try", args=[document.pk])
        answer = olivia.client.post(address, {"engine": "csv"}, follow=True)
        assert "No other engine of this name" in answer.content.decode()
