"""The graph of a base: drawn, listed, explored; wide and narrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page, expect

from core.tenancy import space_scope
from knowledge.models import Chunk, GraphEntity, KnowledgeBase
from tests.browser.conftest import OpenPage, problems_of_pages
from tests.factories.graphs import make_graph, switch_on
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

pytestmark = [pytest.mark.browser, pytest.mark.django_db]
KINDS = ("person", "organisation", "place", "ship", "law", "term")
NODES = 120


@pytest.fixture(scope="session", autouse=True)
def _rows_beside_the_browser() -> Iterator[None]:
    """The browser's loop runs in this thread all the time; the rows are made between its calls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    """A base whose graph has hubs and ends."""
    cache.clear()
    made = switch_on(make_base(olivia.space, name="Harbour archive", created_by=olivia.user))
    with space_scope(olivia.space.pk):
        texts = [
            f"Keeper {n} of the harbour company looks after thing {n} and thing {n // 3}, as the"
            f" register of the year {1900 + n} has it on its first page."
            for n in range(1, NODES)
        ]
        document = make_document(made, name="register of the harbour company.txt", texts=texts)
        for n, chunk in enumerate(Chunk.objects.filter(document=document).order_by("position"), 1):
            triples = [(f"Thing {n // 3}", "is a part of", f"Thing {n}")]
            make_graph(chunk, triples=triples, kind=KINDS[n % len(KINDS)])
        yield made


@pytest.fixture
def pages(olivia: Persona, base: KnowledgeBase) -> dict[str, str]:
    """The pages' HTML."""
    entity = GraphEntity.objects.get(normalised_name="thing 3")
    empty = make_base(olivia.space, name="Empty", created_by=olivia.user)
    addresses = {
        "graph": reverse("base_graph", args=[base.pk]),
        "graph-entity": reverse("base_graph_entity", args=[base.pk, entity.pk]),
        "graph-preview": reverse("base_graph_preview", args=[base.pk]),
        "graph-empty": reverse("base_graph", args=[empty.pk]),
    }
    return {
        name: olivia.client.get(address).content.decode() for name, address in addresses.items()
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_are_sound(
    pages: dict[str, str],
    open_page: OpenPage,
    page: Page,
    width: int,
    theme: Literal["light", "dark"],
) -> None:
    def settle(name: str) -> None:
        if name == "graph" and width > 560:
            expect(page.locator("[data-graph][data-settled]")).to_be_visible(timeout=30_000)

    found = problems_of_pages(pages, open_page, page, width=width, theme=theme, prepare=settle)
    assert found == []


def test_an_entity_is_chosen_in_the_picture(
    olivia: Persona, pages: dict[str, str], base: KnowledgeBase, open_page: OpenPage, page: Page
) -> None:
    entity = GraphEntity.objects.get(normalised_name="thing 1")
    address = reverse("base_graph_entity", args=[base.pk, entity.pk])
    part = olivia.client.get(address, headers={"HX-Request": "true"}).content.decode()
    open_page(pages["graph"])
    page.route("**/graph/entities/**", lambda route: route.fulfill(body=part))
    expect(page.locator("[data-graph][data-settled]")).to_be_visible(timeout=30_000)
    nodes = page.locator(".graph-node")
    expect(nodes).to_have_count(NODES)
    chosen = page.locator(".graph-node").filter(has_text="Thing 1").first
    chosen.locator("circle").click(force=True)
    expect(page.locator("#graph-entity h3")).to_have_text("Thing 1")
    expect(page.locator(".graph-node.is-chosen")).to_have_count(1)
    expect(page.locator(".graph-node.is-near")).not_to_have_count(NODES)
    page.locator("[data-colour='1']").uncheck()
    assert page.locator(".graph-node.is-hidden").count() > 10


def test_phones_get_the_list(pages: dict[str, str], open_page: OpenPage, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    open_page(pages["graph"])
    expect(page.locator("[data-graph]")).to_be_hidden()
    expect(page.get_by_role("link", name="Thing 1", exact=True)).to_be_visible()
