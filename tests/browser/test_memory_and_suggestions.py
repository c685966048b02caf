"""On the whole product: "remember that …", the next answer shows it, forget it; a follow-up's click."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import axe_findings
from tests.product import EMAIL, Product

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MINUTE = 60_000
FOLLOW_UP = "Which units do you use?"
CONFIG = (
    '{"question_suggestions": {"starters": {"mode": "curated", "items": ["What is this space for?"]},'
    ' "follow_ups": {"enabled": true, "mode": "curated", "items": ["Which units do you use?"],'
    ' "suppress_on_fallback": false, "suppress_when_answer_asks_question": false}}}'
)


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    running = Product(tmp_path_factory.mktemp("product"))
    running.start()
    running.rows(f"UPDATE agents_agent SET config = '{CONFIG}' RETURNING id")
    yield running
    running.stop()


def sign_in(page: Page, product: Product) -> None:
    page.goto(product.url)
    page.fill("[name=login]", EMAIL)
    page.fill("[name=password]", product.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("#prompt")).to_be_visible()


def put(page: Page, text: str) -> None:
    page.fill("#prompt", text)
    page.press("#prompt", "Enter")
    expect(page.locator(".acts").last).to_be_visible(timeout=MINUTE)


def keep_pictures(page: Page, name: str) -> None:
    """Keep screenshots, wide and narrow, light and dark, where a person asked for pictures."""
    folder = os.environ.get("WEKNORA_SCREENSHOTS")
    if not folder:
        return
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=str(Path(folder) / f"{name}-{width}-{scheme}.png"))
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 720})


def test_what_was_remembered_comes_back_and_can_be_forgotten(page: Page, product: Product) -> None:
    sign_in(page, product)
    page.goto(f"{product.url}/memory/settings/")
    page.check("[name=is_enabled]")
    keep_pictures(page, "memory-settings")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Nothing is remembered yet")).to_be_visible()
    keep_pictures(page, "memory-empty")

    page.goto(product.url)
    expect(page.get_by_role("button", name="What is this space for?")).to_be_visible()
    put(page, "Remember that I prefer metric units.")
    expect(page.locator(".memo-note")).to_contain_text("I prefer metric units.")
    keep_pictures(page, "chat-remembered")

    page.goto(product.url)
    put(page, "How is length measured?")
    used = page.locator("details", has_text="Used 1 memory").last
    used.locator("summary").click()
    expect(used).to_contain_text("I prefer metric units.")
    keep_pictures(page, "chat-used")

    page.get_by_role("button", name=FOLLOW_UP).click()
    expect(page.locator(".turn-user").last).to_contain_text(FOLLOW_UP)
    expect(page.locator(".acts")).to_have_count(2, timeout=MINUTE)
    taken = product.rows(f"SELECT suggestion_key FROM agents_message WHERE text = '{FOLLOW_UP}'")
    assert taken == [("g1-1",)]
    actions = {row[0] for row in product.rows("SELECT action FROM agents_suggestionevent")}
    assert "click" in actions

    page.goto(f"{product.url}/memory/")
    keep_pictures(page, "memory")
    assert axe_findings(page) == []
    page.get_by_role("button", name="Forget: I prefer metric units.").click()
    expect(page.get_by_text("The memory was forgotten.")).to_be_visible()
    keep_pictures(page, "memory-forgotten")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".memo")).to_contain_text("I prefer metric units.")
    page.get_by_role("button", name="Forget: I prefer metric units.").click()
    expect(page.get_by_text("The memory was forgotten.")).to_be_visible()

    page.goto(product.url)
    put(page, "How is width measured?")
    expect(page.get_by_text("Used 1 memory")).to_have_count(0)
