"""The strip of pages, the list of weak ones and two engines side by side, wide and narrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page, expect

from core.tenancy import space_scope
from knowledge.health import proposals
from knowledge.ingest.health import write_health
from knowledge.ingest.read import kept_text_key, with_engine
from knowledge.ingest.wire import document_to_json
from knowledge.models import Document
from knowledge.parsers.contract import Block, Box, ParsedDocument
from knowledge.storage import PARSED_FOLDER, store_json
from tests.browser.conftest import OpenPage, problems_of_pages
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

pytestmark = pytest.mark.browser
WORDS = "Every aircraft is looked at before its first flight of the day. "
BOX = Box(left=0.1, top=0.1, right=0.9, bottom=0.9)


def text_of(page: int, *, is_mended: bool) -> str:
    text = f"Part {page}\n" + WORDS * 12
    if page % 9 == 4 and not is_mended:
        return text.replace("a", "\ue001").replace("t", "\ue002")
    return text + ("\n" + "Rotor 4711 12 25\n" * 12 if page % 5 == 2 and not is_mended else "")


def parsed(pages: int, *, is_mended: bool = False) -> ParsedDocument:
    blocks = tuple(
        Block(markdown=text_of(page, is_mended=is_mended), page=page, box=BOX)
        for page in range(1, pages + 1)
    )
    return ParsedDocument(blocks=blocks, page_count=pages, parser="pdf/1", metadata={"type": "pdf"})


@pytest.fixture
def document(olivia: Persona, settings, tmp_path) -> Iterator[Document]:
    settings.MEDIA_ROOT = tmp_path
    cache.clear()
    base = make_base(olivia.space, name="Hangar handbook", created_by=olivia.user)
    with space_scope(olivia.space.pk):
        made = make_document(base, name="rotor.pdf", texts=["Rotors."], page_count=220)
        made.file_type = "pdf"
        made.save(update_fields=["file_type"])
        write_health(made, parsed(220))
        yield made


@pytest.fixture
def pages(olivia: Persona, document: Document) -> dict[str, str]:
    """The pages' HTML."""
    asked = with_engine(document, "pdf-plain")
    for row, text in ((document, parsed(220)), (asked, parsed(220, is_mended=True))):
        store_json(row.space_id, PARSED_FOLDER, kept_text_key(row), document_to_json(text))
    proposals.propose(olivia.actor, document_id=document.pk, engine="pdf-plain")
    proposals.settle(document, engine="pdf-plain", attempt=1, check=lambda: None)
    addresses = {
        "health-strip": reverse("document", args=[document.pk]),
        "health-list": reverse("base_health", args=[document.base_id]),
        "health-compare": reverse("document_engine", args=[document.pk, "pdf-plain"]) + "?page=4",
    }
    return {
        name: olivia.client.get(address).content.decode() for name, address in addresses.items()
    }


@pytest.mark.django_db
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_are_sound(
    pages: dict[str, str],
    open_page: OpenPage,
    page: Page,
    width: int,
    theme: Literal["light", "dark"],
) -> None:
    assert problems_of_pages(pages, open_page, page, width=width, theme=theme) == []


@pytest.mark.django_db
def test_the_strip_is_one_stop_of_the_tab_key(pages: dict[str, str], open_page: OpenPage) -> None:
    page = open_page(pages["health-strip"])
    cells = page.locator(".health-cell")
    expect(cells).to_have_count(220)
    expect(page.locator('.health-cell[tabindex="0"]')).to_have_count(1)
    cells.first.focus()
    page.keyboard.press("ArrowRight")
    expect(cells.nth(1)).to_be_focused()
    page.keyboard.press("End")
    expect(cells.nth(219)).to_be_focused()
