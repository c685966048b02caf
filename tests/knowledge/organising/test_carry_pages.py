"""Moving and copying to another base on the pages, and taking a move back."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from knowledge.models import Document, KnowledgeBase
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.knowledge.organising.conftest import Shelf
from tests.personas import Persona

pytestmark = pytest.mark.django_db


@pytest.fixture
def other(cora: Persona, shelf: Shelf) -> KnowledgeBase:
    return make_base(cora.space, name="Other", created_by=cora.user)


def carry(person: Persona, base: KnowledgeBase, *, status: int = 302, **data: Any) -> None:
    response = person.client.post(reverse("base_carry", args=[base.pk]), data)
    assert response.status_code == status


def page(person: Persona, base: KnowledgeBase) -> str:
    return str(person.client.get(reverse("base", args=[base.pk])).content.decode())


def base_of(document: Document) -> Any:
    return Document.objects.values_list("base_id", flat=True).get(pk=document.pk)


def test_moved_document_can_be_taken_back(
    cora: Persona, shelf: Shelf, other: KnowledgeBase
) -> None:
    carry(cora, shelf.base, action="move", target=other.pk, document=[shelf.inner.pk])
    assert base_of(shelf.inner) == other.pk
    shown = page(cora, shelf.base)
    assert "was moved to “Other”" in shown
    assert "was moved to “Other”" not in page(cora, shelf.base)
    carry(cora, other, action="move", target=shelf.base.pk, document=[shelf.inner.pk])
    assert base_of(shelf.inner) == shelf.base.pk
    assert Document.objects.get(pk=shelf.inner.pk).folder_path == "Law/Cases"


def test_all_that_a_filter_shows_is_copied(
    cora: Persona, shelf: Shelf, other: KnowledgeBase
) -> None:
    carry(cora, shelf.base, action="copy", target=other.pk, all="1", query="folder=Law")
    assert {each.name for each in Document.objects.filter(base=other)} == {"outer.txt", "inner.txt"}
    assert Document.objects.filter(base=shelf.base).count() == 3


def test_page_of_one_document_offers_the_other_bases(
    cora: Persona, shelf: Shelf, other: KnowledgeBase
) -> None:
    address = reverse("base_carry", args=[shelf.base.pk])
    shown = cora.client.get(address, {"document": str(shelf.root.pk)}).content.decode()
    assert str(other.pk) in shown
    assert "root.txt" in shown


def test_base_that_is_not_theirs_takes_nothing(
    cora: Persona, olivia: Persona, shelf: Shelf
) -> None:
    closed = make_base(olivia.space, name="Closed", created_by=olivia.user)
    carry(cora, shelf.base, status=403, action="move", target=closed.pk, document=[shelf.root.pk])
    assert "Closed" not in page(cora, shelf.base).partition("bulk-carry")[2]


def test_copy_of_a_base_leads_to_its_progress(cora: Persona, shelf: Shelf) -> None:
    make_model(cora.space, type="embedding", is_default=True)
    address = reverse("base_copy", args=[shelf.base.pk])
    answer = cora.client.post(address, {"name": "Twin", "with_content": "1"})
    made = KnowledgeBase.objects.get(name="Twin")
    assert answer["Location"] == reverse("batch", args=[made.pk, made.batches.get().pk])
    assert "0 of 3 ready" in cora.client.get(answer["Location"]).content.decode()
