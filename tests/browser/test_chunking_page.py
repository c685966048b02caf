"""The page that tries out how a text is split, wide and narrow, light and dark."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage, axe_findings
from tests.factories.knowledge import make_base
from tests.personas import Persona

pytestmark = pytest.mark.browser
SHOTS = os.environ.get("WEKNORA_SHOTS", "")
"""A folder for pictures of the pages, for people who want to look at them."""
WIDTHS = (1440, 390)
TABLE = "| part | hours | note |\n| --- | --- | --- |\n" + "\n".join(
    f"| rotor blade {n} | {n * 25} | looked at and greased |" for n in range(30)
)
TEXT = f"""CARE OF THE AIRCRAFT

{"Every aircraft is looked at before its first flight of the day. " * 8}

{TABLE}

SAFETY

{"Nobody walks under a turning rotor, and nobody smokes in the hangar. " * 9}
"""


@pytest.fixture
def pages(olivia: Persona) -> dict[str, str]:
    """The pages' HTML."""
    cache.clear()
    base = make_base(olivia.space, name="Hangar handbook")
    url = reverse("base_chunking", args=[base.pk])
    tried = {
        "text": TEXT,
        "split_size_characters": "500",
        "split_overlap_characters": "120",
        "split_strategy": "auto",
        "split_language": "auto",
    }
    answers = {
        "empty": olivia.client.get(url),
        "tried": olivia.client.post(url, tried),
        "too-long": olivia.client.post(url, {**tried, "text": "x" * 64_001}),
    }
    return {name: answer.content.decode() for name, answer in answers.items()}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["empty", "tried", "too-long"])
def test_the_page_can_be_used_by_everybody(
    page: Page, open_page: OpenPage, pages: dict[str, str], name: str, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of two
    open_page(pages[name])
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{name} is {overflow} px too wide at {width}"
        if SHOTS:
            page.screenshot(path=Path(SHOTS) / f"chunking-{name}-{scheme}-{width}.png")
    assert axe_findings(page) == []
