"""On the whole product: marks at the sentences of an answer, their reasons, hiding, after a reload."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.browser.conftest import axe_findings
from tests.product import EMAIL, Product
from tests.slow_model import SlowModel

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MINUTE = 60_000
HANDBOOK = """# Rules of the Lantern Club

Members of the Lantern Club pay 42 crowns a year. Students of the Lantern Club pay half of it.
The club was founded on 3 May 1911 at the old lighthouse.
"""
ANSWER = [
    "Members of the Lantern Club pay 42 crowns a year [c1]. ",
    "Students pay 30 crowns a year [c1]. ",
    "The Lantern Club was founded on **3 May 1912** at the old lighthouse [c1].\n\n",
    "- It has a founder who was a much admired keeper of the old lighthouse [c1]",
]


@pytest.fixture(scope="module")
def model() -> Iterator[SlowModel]:
    running = SlowModel(ANSWER, pause_seconds=0.02)
    yield running
    running.close()


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    running = Product(tmp_path_factory.mktemp("product"))
    running.start()
    running.rows("UPDATE agents_agent SET mode = 'quick' RETURNING id")
    yield running
    running.stop()


def sign_in(page: Page, product: Product) -> None:
    page.goto(product.url)
    page.fill("[name=login]", EMAIL)
    page.fill("[name=password]", product.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("#prompt")).to_be_visible()


def prepare(page: Page, product: Product, model: SlowModel) -> None:
    """Put the rules in and let the model answer."""
    page.get_by_role("link", name="Knowledge", exact=True).click()
    page.get_by_role("link", name="New knowledge base").first.click()
    page.fill("[name=name]", "Club")
    page.get_by_role("button", name="Create knowledge base").click()
    page.locator("input[type=file][name=file]").set_input_files(
        [FilePayload(name="rules.md", mimeType="text/markdown", buffer=HANDBOOK.encode())]
    )
    row = page.locator("tr", has_text="rules.md")
    expect(row.get_by_text("Ready")).to_be_visible(timeout=3 * MINUTE)
    page.goto(f"{product.url}/models/new/")
    page.fill("[name=name]", "Talker")
    page.fill("[name=model_id]", "talker")
    page.fill("[name=base_url]", model.url)
    page.check("[name=is_default]")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("tr", has_text="Talker").get_by_text("default")).to_be_visible()


def keep_pictures(page: Page, name: str) -> None:
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


def test_sentences_are_marked_and_the_unsupported_can_be_hidden(
    page: Page, product: Product, model: SlowModel
) -> None:
    sign_in(page, product)
    prepare(page, product, model)
    page.goto(product.url)
    page.fill("#prompt", "How much do members of the Lantern Club pay a year?")
    page.press("#prompt", "Enter")
    answer, verdicts = page.locator(".answer").last, page.locator(".verdicts").last
    expect(verdicts).to_contain_text("4 sentences checked", timeout=2 * MINUTE)
    wrong = answer.locator("a.verdict.is-unsupported")
    for _ in range(2):  # live, and after a reload
        expect(wrong).to_have_count(3)
        expect(wrong.first).to_have_text("not supported")
        expect(answer.locator(".verdict.is-supported")).to_have_count(1)
        page.reload()
    wrong.first.focus()
    page.keyboard.press("Enter")
    line = verdicts.locator("li").first
    expect(line).to_be_visible()
    expect(line).to_contain_text("The source does not have the number 30")
    assert axe_findings(page) == []
    keep_pictures(page, "verdicts-open")
    switch = page.get_by_role("switch", name="Hide what is not supported")
    switch.focus()
    page.keyboard.press("Space")
    expect(answer.get_by_text("Students pay")).to_be_hidden()
    expect(answer.get_by_text("3 May 1912")).to_be_hidden()
    expect(answer.get_by_text("42 crowns")).to_be_visible()
    keep_pictures(page, "verdicts-hidden")
    page.keyboard.press("Space")
    expect(answer.get_by_text("Students pay")).to_be_visible()
    page.get_by_role("link", name="How this answer came about").last.click()
    expect(page.locator(".verdicts li")).to_have_count(4)
    assert axe_findings(page) == []
    keep_pictures(page, "verdicts-run")
