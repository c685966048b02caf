"""History of a passage, corrections of a document and lost ones, wide and narrow, light and dark."""

from __future__ import annotations

from typing import Literal

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from knowledge.corrections.edit import edit_chunk
from knowledge.organising.versions import replace_document
from tests.browser.conftest import OpenPage, problems_of_pages
from tests.knowledge.corrections.conftest import TEXT, Shelf, quiet_installation, shelf

__all__ = ["quiet_installation", "shelf"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def pages(shelf: Shelf) -> dict[str, str]:
    """The pages' HTML: one correction stands, another has lost its place."""
    for word, new in (("lamps", "counts the bright lamps"), ("ropes", "weighs the ropes")):
        chunk = shelf.passage(word)
        text = chunk.text.replace(f"counts the {word}", new)
        edit_chunk(shelf.person.actor, chunk_id=chunk.pk, version=1, text=text)
    other = TEXT.replace("Every evening keeper 2 counts the ropes", "The ropes are numbered by day")
    replace_document(
        shelf.person.actor, document_id=shelf.document.pk, name="x.md", content=other.encode()
    )
    shelf.work()
    addresses = {
        "history": reverse(
            "chunk_history", args=[shelf.document.pk, shelf.passage("bright lamps").pk]
        ),
        "corrections": reverse("document_corrections", args=[shelf.document.pk]),
        "lost": reverse("base_corrections", args=[shelf.document.base_id]),
    }
    client = shelf.person.client
    return {name: client.get(address).content.decode() for name, address in addresses.items()}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_of_corrections_are_sound(
    pages: dict[str, str],
    open_page: OpenPage,
    page: Page,
    width: int,
    theme: Literal["light", "dark"],
) -> None:
    assert "ropes" in pages["lost"]
    assert problems_of_pages(pages, open_page, page, width=width, theme=theme) == []
