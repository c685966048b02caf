"""The pages of passages through their door."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pypdfium2  # type: ignore[import-untyped]  # ships no types
import pytest
from django.core.files.storage import default_storage
from django.urls import reverse
from PIL import Image

from core.jobs.work import work
from knowledge.models import Chunk, Correction
from knowledge.services.documents import add_document, delete_document
from tests.factories.knowledge import make_base
from tests.knowledge.corrections.conftest import Shelf
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


def url_of(shelf: Shelf, name: str, chunk: Chunk) -> str:
    return reverse(name, args=[shelf.document.pk, chunk.pk])


def blank_pdf(pages: int) -> bytes:
    document = pypdfium2.PdfDocument.new()
    for _ in range(pages):
        document.new_page(200, 300)
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def test_passages_are_listed_with_what_is_known_of_them(shelf: Shelf) -> None:
    page = shelf.person.client.get(reverse("document_chunks", args=[shelf.document.pk]))
    assert [card["number"] for card in page.context["cards"]] == [1, 2, 3, 4]
    assert page.context["picture"] is None


def test_passages_are_searched(shelf: Shelf) -> None:
    url = reverse("document_chunks", args=[shelf.document.pk])
    page = shelf.person.client.get(url, {"q": "boats"})
    assert [card["number"] for card in page.context["cards"]] == [3]


def test_edit_leads_back_to_the_passage_and_marks_it(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    url = url_of(shelf, "chunk_edit", chunk)
    answer = shelf.person.client.post(url, {"version": "1", "text": "Other words."})
    page = shelf.person.client.get(answer["Location"])
    (card,) = [card for card in page.context["cards"] if card["is_target"]]
    assert (card["is_edited"], card["edit"].updated_by) == (True, shelf.person.user)


def test_second_editor_sees_both_texts_and_may_go_on(shelf: Shelf, olivia: Persona) -> None:
    url = url_of(shelf, "chunk_edit", shelf.passage("ropes"))
    shelf.person.client.post(url, {"version": "1", "text": "Words of Cora."})
    told = olivia.client.post(url, {"version": "1", "text": "Words of Olivia."})
    assert told.status_code == 409
    body = told.content.decode()
    assert "<del>Cora</del>" in body
    assert "<ins>Olivia</ins>" in body
    assert 'name="version" value="2"' in body
    assert olivia.client.post(url, {"version": "2", "text": "Words of both."}).status_code == 302
    assert shelf.passage("Words of both.").version == 3


def test_text_of_a_passage_that_is_gone_is_not_thrown_away(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    url = url_of(shelf, "chunk_edit", chunk)
    chunk.delete()
    answer = shelf.person.client.post(url, {"version": "1", "text": "An hour of work."})
    assert answer.status_code == 409
    assert "An hour of work." in answer.content.decode()


def test_switch_answers_with_the_card(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    answer = shelf.person.client.post(
        url_of(shelf, "chunk_switch", chunk), {"enabled": "0"}, headers={"HX-Request": "true"}
    )
    assert f'id="chunk-{chunk.pk}"' in answer.content.decode()
    assert "is-off" in answer.content.decode()


def test_revisions_are_compared_and_taken_back(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    client = shelf.person.client
    client.post(url_of(shelf, "chunk_edit", chunk), {"version": "1", "text": "Other words."})
    url = url_of(shelf, "chunk_history", chunk)
    assert [r.number for r in client.get(url).context["revisions"]] == [1, 0]
    client.post(url, {"version": "2", "number": "0"})
    assert shelf.passage("ropes").text == chunk.text


def test_corrections_of_a_document_are_listed_and_withdrawn(shelf: Shelf) -> None:
    client = shelf.person.client
    url = url_of(shelf, "chunk_edit", shelf.passage("ropes"))
    client.post(url, {"version": "1", "text": "Other words."})
    url = reverse("document_corrections", args=[shelf.document.pk])
    (shown,) = client.get(url).context["corrections"]
    client.post(url, {"action": "withdraw", "correction": shown["id"]})
    assert client.get(url).context["corrections"] == []
    assert Correction.objects.get().state == "withdrawn"


@pytest.fixture
def drawn(cora: Persona) -> Iterator[Shelf]:
    base = make_base(cora.space, name="Charts", created_by=cora.user)
    with cora.scope():
        document = add_document(cora.actor, base_id=base.pk, name="chart.pdf", content=blank_pdf(2))
        document.file_type, document.page_count = "pdf", 2
        document.save()
        yield Shelf(person=cora, document=document)


def test_page_is_drawn_once_and_goes_with_the_document(drawn: Shelf) -> None:
    url = reverse("document_page", args=[drawn.document.pk, 2])
    answer = drawn.person.client.get(url)
    assert answer["Content-Type"] == "image/webp"
    assert Image.open(io.BytesIO(answer.content)).format == "WEBP"
    digest = drawn.document.content_hash
    folder = f"spaces/{drawn.person.space.pk}/pages/{digest[:2]}/{digest}"
    assert default_storage.listdir(folder)[1] == ["2-1400.webp"]
    assert drawn.person.client.get(url).content == answer.content
    delete_document(drawn.person.actor, document_id=drawn.document.pk)
    work("default")
    assert not default_storage.exists(f"{folder}/2-1400.webp")


def test_page_that_is_not_there_is_not_drawn(drawn: Shelf, mallory: Persona) -> None:
    url = reverse("document_page", args=[drawn.document.pk, 3])
    assert drawn.person.client.get(url).status_code == 404
    first = reverse("document_page", args=[drawn.document.pk, 1])
    assert mallory.client.get(first).status_code == 404


def test_region_lies_where_the_passage_stands(drawn: Shelf) -> None:
    Chunk.objects.create(
        space_id=drawn.person.space.pk,
        base_id=drawn.document.base_id,
        document=drawn.document,
        document_revision=1,
        position=0,
        text="A chart.",
        content_hash="0" * 64,
        page_from=2,
        page_to=2,
        box={"left": 0.1, "top": 0.2, "right": 0.5, "bottom": 0.25},
        char_start=0,
        char_end=8,
    )
    url = reverse("document_chunks", args=[drawn.document.pk])
    assert drawn.person.client.get(url).context["cards"] == []
    picture = drawn.person.client.get(url, {"page": "2"}).context["picture"]
    (region,) = picture["regions"]
    assert region["box"] == {"x": 100, "y": 200, "width": 400, "height": 50}
