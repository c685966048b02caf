"""Pictures in passages and on their own page, wide and narrow, light and dark; the large one in a dialog."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page, expect

from core.tenancy import space_scope
from knowledge.text.pictures import write_reference
from tests.browser.conftest import OpenPage, axe_findings
from tests.factories.knowledge import make_base, make_document
from tests.factories.pictures import make_picture, picture_key
from tests.knowledge.pictures.files import drawing
from tests.personas import Persona

pytestmark = pytest.mark.browser
SHOTS = os.environ.get("WEKNORA_SHOTS", "")
"""A folder for pictures of the pages, for people who want to look at them."""
WIDTHS = (1440, 390)
WORDS = "Running hours of the pier lamp by month"


@pytest.fixture
def pages(olivia: Persona, settings: Any, tmp_path: Path) -> dict[str, str]:
    """The pages' HTML."""
    settings.MEDIA_ROOT = tmp_path
    cache.clear()
    base = make_base(olivia.space, name="Harbour handbook")
    before = "The lamp burns from dusk until dawn; its hours are written down every morning."
    text = f"{before}\n\n{write_reference(picture_key(), WORDS)}\n\nIn winter it burns longest."
    document = make_document(base, name="lamps.pdf", texts=[text])
    with space_scope(olivia.space.pk):
        make_picture(document, page=3, alternative_text=WORDS, ocr_text="Jan 420 h\nJun 210 h")
        make_picture(
            document, color="navy", caption="A lamp in front of the sea.", caption_is_edited=True
        )

    answers = {
        "passages": olivia.client.get(reverse("document", args=[document.pk])),
        "own": olivia.client.get(reverse("document_pictures", args=[document.pk])),
    }
    return {name: answer.content.decode() for name, answer in answers.items()}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["passages", "own"])
def test_the_page_can_be_used_by_everybody(
    page: Page, open_page: OpenPage, pages: dict[str, str], name: str, scheme: str
) -> None:
    serve_pictures_before_the_rest(page)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of two
    open_page(pages[name])
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{name} is {overflow} px too wide at {width}"
        if SHOTS:
            page.screenshot(path=Path(SHOTS) / f"pictures-{name}-{scheme}-{width}.png")
    assert axe_findings(page) == []


def test_a_picture_opens_large_and_closes_by_the_keyboard(
    page: Page, open_page: OpenPage, pages: dict[str, str]
) -> None:
    serve_pictures_before_the_rest(page)
    open_page(pages["passages"])
    page.get_by_role("link", name=WORDS).focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name=WORDS)
    expect(dialog.get_by_role("img", name=WORDS)).to_be_visible()
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / "pictures-dialog.png")
    assert axe_findings(page) == []
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def serve_pictures_before_the_rest(page: Page) -> None:
    """Routes that were added last are asked first."""
    body = drawing("Hours", size=(900, 520))
    page.route("**/pictures/*/", lambda route: route.fulfill(body=body, content_type="image/png"))
