"""A call that waits, in a real browser on the whole product: edited, approved, seen in two windows."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import axe_findings
from tests.browser.test_whole_way import MINUTE, connect, sign_in
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.slow]
THOUGHT = {
    "thought": "Write to the club that the fee is 42 crowns.",
    "next_thought_needed": False,
    "thought_number": 1,
    "total_thoughts": 1,
}


class CallingService:
    """A chat model behind HTTP: it asks for one call, then says what the call gave."""

    def __init__(self) -> None:
        class Handler(BaseHTTPRequestHandler):
            """Answers every POST with the turn that is due."""

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                has_tools = bool(asked.get("tools"))
                done = any(each["role"] == "tool" for each in asked["messages"][-2:])
                for choice in _turn(calls=has_tools and not done):
                    chunk = {"id": "x", "object": "chat.completion.chunk", "created": 0}
                    whole = {**chunk, "model": "caller", "choices": [{"index": 0, **choice}]}
                    self.wfile.write(f"data: {json.dumps(whole)}\n\n".encode())
                self.wfile.write(b"data: [DONE]\n\n")

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """The base address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()


def _turn(*, calls: bool) -> list[dict[str, Any]]:
    if not calls:
        return [
            {"delta": {"content": "The club knows it now."}, "finish_reason": None},
            {"delta": {}, "finish_reason": "stop"},
        ]
    function = {"name": "thinking", "arguments": json.dumps(THOUGHT)}
    call = {"index": 0, "id": "c1", "type": "function", "function": function}
    return [
        {"delta": {"tool_calls": [call]}, "finish_reason": None},
        {"delta": {}, "finish_reason": "tool_calls"},
    ]


@pytest.fixture(scope="module")
def caller() -> Iterator[CallingService]:
    service = CallingService()
    yield service
    service.close()


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """The product as `make run` starts it, whose agents ask before every call."""
    running = Product(tmp_path_factory.mktemp("product"))
    running.start()
    config = {"approvals": [{"tool": "*", "mode": "ask"}], "allowed_tools": ["thinking"]}
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute(
            "UPDATE agents_agent SET mode = 'react', config = %s", [json.dumps(config)]
        )
    yield running
    running.stop()


def keep_pictures(page: Page, name: str) -> None:
    """Keep pictures in both themes and widths where a person asked for them."""
    folder = os.environ.get("WEKNORA_SCREENSHOTS")
    if not folder:
        return
    size = page.viewport_size
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.wait_for_timeout(300)
            page.screenshot(path=str(Path(folder) / f"{name}_{width}_{theme}.png"))
    page.emulate_media(color_scheme="light")
    if size:
        page.set_viewport_size(size)


def test_waiting_call_is_edited_and_approved_and_the_second_window_follows(
    page: Page, product: Product, caller: CallingService
) -> None:
    sign_in(page, product)
    connect(page, product, caller)  # type: ignore[arg-type]  # it only reads the address
    page.goto(product.url)
    page.fill("#prompt", "Tell the club.")
    page.press("#prompt", "Enter")
    card = page.locator("form.approval")
    expect(card).to_be_visible(timeout=MINUTE)
    expect(page.locator(".run > summary").last).to_contain_text("Waiting for your approval")
    expect(page.locator(".nav-count")).to_contain_text("1")
    second = page.context.new_page()
    second.goto(page.url)
    expect(second.locator("form.approval")).to_be_visible()
    keep_pictures(page, "chat_open")
    assert axe_findings(page) == []
    desk = page.context.new_page()
    desk.goto(f"{product.url}/approvals/")
    expect(desk.locator("form.approval")).to_be_visible()
    keep_pictures(desk, "desk")
    assert axe_findings(desk) == []
    card.get_by_text("Edit arguments").click()
    thought = card.get_by_label("Thought", exact=True)
    thought.fill("")
    card.get_by_role("button", name="Approve with changes").click()
    expect(page.locator("form.approval .err")).to_be_visible(timeout=MINUTE)
    keep_pictures(page, "chat_error")
    thought.fill("Write to the club that the fee is 40 crowns.")
    card.get_by_role("button", name="Approve with changes").click()
    for window in (page, second):
        # There, but folded away as soon as the answer is complete.
        expect(
            window.locator(".step.is-ok[data-approval]", has_text="approved with changes")
        ).to_have_count(1, timeout=MINUTE)
        expect(window.locator(".answer").last).to_contain_text(
            "The club knows it now.", timeout=MINUTE
        )
        expect(window.locator(".acts").last).to_be_visible(timeout=MINUTE)
    expect(page.locator(".nav-count")).to_have_text("")
    desk.goto(f"{product.url}/approvals/?tab=done")
    desk.locator("details.decided summary").click()
    expect(desk.locator("ins")).to_contain_text("40 crowns")
    keep_pictures(desk, "desk_done")
    desk.goto(f"{product.url}/approvals/settings/")
    keep_pictures(desk, "settings")
    assert axe_findings(desk) == []


def test_keys_decide_only_inside_of_the_card(
    page: Page, product: Product, caller: CallingService
) -> None:
    sign_in(page, product)
    page.goto(product.url)
    page.fill("#prompt", "Tell the club again.")
    page.press("#prompt", "Enter")
    card = page.locator("form.approval")
    expect(card).to_be_visible(timeout=MINUTE)
    page.locator("#prompt").press("r")
    card.get_by_label("Comment").press_sequentially("are not sure")
    expect(card).to_be_visible()
    card.get_by_role("button", name="Reject").focus()
    page.keyboard.press("r")
    expect(page.locator(".step.is-bad[data-approval]", has_text="rejected")).to_be_visible(
        timeout=MINUTE
    )
    expect(page.locator(".answer").last).to_contain_text("The club knows it now.", timeout=MINUTE)
