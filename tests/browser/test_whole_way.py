"""The whole way in a real browser on the whole product, and a reload in mid-answer."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, WebSocketRoute, expect

from tests.product import EMAIL, Product
from tests.slow_model import SlowModel

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WORDS = [f"word{number} " for number in range(60)]
MINUTE = 60_000
HANDBOOK = """# Rules of the Lantern Club

## Fees

Members of the Lantern Club pay 42 crowns a year. Students pay half of it.

## Meetings

The club meets on the second Tuesday of each month at the old lighthouse.
"""


@pytest.fixture(scope="module")
def slow_model() -> Iterator[SlowModel]:
    model = SlowModel(WORDS, pause_seconds=0.12)
    yield model
    model.close()


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory, slow_model: SlowModel) -> Iterator[Product]:
    """The product as `make run` starts it; one agent uses the slow model, the others the built-in."""
    running = Product(tmp_path_factory.mktemp("product"))
    running.start()
    yield running
    running.stop()


def sign_in(page: Page, product: Product) -> None:
    page.goto(product.url)
    page.fill("[name=login]", EMAIL)
    page.fill("[name=password]", product.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("#prompt")).to_be_visible()


def ask(page: Page, question: str) -> None:
    """Write a question and send it; the button works before the scripts are there, too."""
    page.fill("#prompt", question)
    page.get_by_role("button", name="Send", exact=True).click()


def connect(page: Page, product: Product, model: SlowModel) -> None:
    """Connect the slow model by the form, try it, and make it the default."""
    page.goto(f"{product.url}/models/new/")
    page.fill("[name=name]", "Slow talker")
    page.fill("[name=model_id]", "slow")
    page.fill("[name=base_url]", model.url)
    page.get_by_role("button", name="Test the connection").click()
    expect(page.locator("#model-report")).to_contain_text("The model answers.", timeout=MINUTE)
    page.check("[name=is_default]")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("tr", has_text="Slow talker").get_by_text("default")).to_be_visible()


def keep_picture(page: Page, name: str) -> None:
    """Keep a screenshot where a person asked for pictures."""
    folder = os.environ.get("WEKNORA_SCREENSHOTS")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def test_from_sign_in_to_a_citation_that_opens_its_passage(page: Page, product: Product) -> None:
    sign_in(page, product)
    page.get_by_role("link", name="Knowledge", exact=True).click()
    page.get_by_role("link", name="New knowledge base").first.click()
    page.fill("[name=name]", "Club")
    page.get_by_role("button", name="Create knowledge base").click()
    page.locator("input[type=file][name=file]").set_input_files(
        [
            FilePayload(name="rules.md", mimeType="text/markdown", buffer=HANDBOOK.encode()),
            FilePayload(name="empty.txt", mimeType="text/plain", buffer=b" "),
            FilePayload(name="bomb.docx", mimeType="application/zip", buffer=b"MZ" + b"\0" * 3000),
        ]
    )
    expect(page.locator("tr", has_text="rules.md").get_by_text("Ready")).to_be_visible(
        timeout=2 * MINUTE
    )
    for name in ("empty.txt", "bomb.docx"):
        row = page.locator("tr", has_text=name)
        expect(row.get_by_text("Refused")).to_be_visible(timeout=MINUTE)
        expect(row.locator("small.bidi")).not_to_be_empty()
    keep_picture(page, "base")
    page.get_by_role("link", name="Conversations", exact=True).click()
    ask(page, "How much do members of the Lantern Club pay a year?")
    answer = page.locator(".answer").last
    expect(answer).to_contain_text("42 crowns", timeout=MINUTE)
    expect(page.locator(".acts").last).to_be_visible(timeout=MINUTE)
    expect(page.get_by_text("extractive, no language model").first).to_be_visible()
    cite = answer.locator("a.cite").first
    cite.click()
    popover = page.locator("#cite-pop")
    expect(popover).to_contain_text("42 crowns")
    keep_picture(page, "citation")
    popover.get_by_role("link", name="Show in document").click()
    expect(page.locator(".passage.is-target")).to_contain_text("42 crowns a year")
    keep_picture(page, "passage")


def test_reload_in_mid_answer_goes_on_without_a_gap(
    page: Page, product: Product, slow_model: SlowModel
) -> None:
    sign_in(page, product)
    connect(page, product, slow_model)
    asked_before = slow_model.calls
    page.goto(product.url)
    ask(page, "Count for me.")
    expect(page.locator(".answer").last).to_contain_text("word8", timeout=MINUTE)
    page.reload()
    expect(page.locator(".answer").last).to_contain_text("word12", timeout=MINUTE)
    second = page.context.new_page()
    second.goto(page.url)
    for window in (page, second):
        expect(window.locator(".acts").last).to_be_visible(timeout=MINUTE)
        text = window.locator(".answer").last.inner_text().split()
        assert text == [word.strip() for word in WORDS]
    assert slow_model.calls == asked_before + 1


def test_stop_keeps_what_was_said(page: Page, product: Product, slow_model: SlowModel) -> None:
    sign_in(page, product)
    ask(page, "Count again.")
    expect(page.locator(".answer").last).to_contain_text("word3", timeout=MINUTE)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator(".run summary").last).to_contain_text("Stopped", timeout=MINUTE)
    expect(page.locator(".answer").last).to_contain_text("word3")
    expect(page.locator(".answer").last).not_to_contain_text("word59")


class Network:
    """The page's way to the server's socket, which a test can cut."""

    def __init__(self, page: Page) -> None:
        self.connections = 0
        self._cut = threading.Event()
        self._sockets: list[WebSocketRoute] = []
        page.route_web_socket("**/ws/**", self._connect)

    def cut(self) -> None:
        """Lose the connection, and refuse the next one."""
        self._cut.set()
        self._sockets[-1].close(code=1001)

    def _connect(self, socket: WebSocketRoute) -> None:
        self.connections += 1
        if self._cut.is_set():
            self._cut.clear()
            socket.close(code=1001)
            return
        self._sockets.append(socket)
        socket.connect_to_server()


def test_lost_network_and_a_tab_in_the_background_lose_nothing(
    page: Page, product: Product, slow_model: SlowModel
) -> None:
    network = Network(page)
    sign_in(page, product)
    ask(page, "Count once more.")
    answer = page.locator(".answer").last
    expect(answer).to_contain_text("word6", timeout=MINUTE)
    network.cut()
    expect(answer).to_contain_text("word25", timeout=MINUTE)
    ends = time.monotonic() + MINUTE / 1000
    while network.connections < 3 and time.monotonic() < ends:
        page.wait_for_timeout(100)
    assert network.connections >= 3
    browser = page.context.new_cdp_session(page)
    browser.send("Page.setWebLifecycleState", {"state": "frozen"})
    other = page.context.new_page()
    other.goto(f"{product.url}/knowledge/")
    browser.send("Page.setWebLifecycleState", {"state": "active"})
    page.bring_to_front()
    expect(page.locator(".acts").last).to_be_visible(timeout=MINUTE)
    assert answer.inner_text().split() == [word.strip() for word in WORDS]
