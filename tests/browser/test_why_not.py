"""The explanation, recorded searches and two settings side by side, wide and narrow, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page

from core.tenancy import space_scope
from knowledge.models import Chunk, KnowledgeBase, SearchRecord
from tests.browser.conftest import OpenPage, problems_of_pages
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona

pytestmark = pytest.mark.browser
QUESTION = "Who looks at the rotor before the first flight?"
PARTS = ("rotor", "tail", "door", "battery", "radio", "wheel", "lamp", "belt")


@pytest.fixture(scope="session", autouse=True)
def _rows_beside_the_browser() -> Iterator[None]:
    """The browser's loop runs in this thread all the time; the rows are made between its calls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield


@pytest.fixture
def hangar(olivia: Persona, words: WordModel) -> Iterator[KnowledgeBase]:
    """A base of several documents."""
    cache.clear()
    base = make_base(olivia.space, name="Hangar handbook", created_by=olivia.user)
    with space_scope(olivia.space.pk):
        for number, part in enumerate(PARTS, 1):
            text = f"The {part} is looked at by the crew before the first flight of the day, step {number}."
            add_document(
                base, text, f"A worn {part} is told in form {number}00.", name=f"{part}.pdf"
            )
        yield base


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> WordModel:
    """The embedding model of every base; there is no rerank model."""
    model = WordModel()
    monkeypatch.setattr("knowledge.retrieval.models.get_embedding_model", lambda row: model)
    monkeypatch.setattr("knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: None)
    return model


@pytest.fixture
def pages(olivia: Persona, hangar: KnowledgeBase) -> dict[str, str]:
    """The pages' HTML."""
    search = reverse("base_search", args=[hangar.pk])
    sides = "&limit=6&keyword_weight=2&rerank=never&b-limit=3&b-keyword_weight=0&b-rerank=never"
    addresses = {
        "search-test": f"{search}?question={QUESTION}&limit=3",
        "search-compare": f"{search}?question={QUESTION}&compare=on{sides}",
    }
    html = {name: olivia.client.get(url).content.decode() for name, url in addresses.items()}
    last = Chunk.objects.get(document__name="belt.pdf", position=1)
    Chunk.objects.filter(document__name="door.pdf").update(is_enabled=False)
    row = SearchRecord.objects.order_by("created_at")[0]
    why = reverse("base_why_not", args=[hangar.pk])
    off = Chunk.objects.filter(document__name="door.pdf")[0]
    addresses = {
        "why-empty": why,
        "why-limit": f"{why}?search={row.pk}&chunk={last.pk}",
        "why-disabled": f"{why}?question={QUESTION}&chunk={off.pk}",
        "searches": reverse("base_searches", args=[hangar.pk]),
        "search-record": reverse("search_record", args=[hangar.pk, row.pk]),
    }
    return html | {n: olivia.client.get(url).content.decode() for n, url in addresses.items()}


@pytest.mark.django_db
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_pages_are_sound(
    pages: dict[str, str],
    open_page: OpenPage,
    page: Page,
    width: int,
    theme: Literal["light", "dark"],
) -> None:
    assert problems_of_pages(pages, open_page, page, width=width, theme=theme) == []


@pytest.mark.django_db
def test_the_second_settings_show_when_they_are_asked_for(
    pages: dict[str, str], open_page: OpenPage
) -> None:
    opened = open_page(pages["search-test"])
    second = opened.locator(".second")
    assert not second.is_visible()
    opened.get_by_label("Compare two settings").check()
    assert second.is_visible()
