"""Browser fixtures: Debian's Chromium, pages of our own static files, and a look through axe."""

from __future__ import annotations

import json
import mimetypes
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from playwright.sync_api import Page, Route, WebSocketRoute

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ORIGIN = "http://pages.test"
POLICY = "default-src 'self'; connect-src 'self' ws://pages.test"
AXE = Path(settings.BASE_DIR) / "node_modules" / "axe-core" / "axe.min.js"

SHOTS = os.environ.get("WEKNORA_SHOTS", "")

OpenPage = Callable[[str], Page]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Start the system's Chromium; nothing is downloaded."""
    if not CHROMIUM.exists():
        pytest.skip("Chromium is missing: apt-get install chromium")
    return {**browser_type_launch_args, "executable_path": str(CHROMIUM), "args": FLAGS}


@pytest.fixture(scope="session", autouse=True)
def _rows_beside_the_browser() -> Iterator[None]:
    """The browser's loop runs in this thread all the time; rows are made between its calls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield


@pytest.fixture
def open_page(page: Page) -> OpenPage:
    """Return a function that opens HTML with our static files, under the pages' strict policy.

    No server runs: the browser's requests are answered here. A script error fails the test.
    """
    documents: dict[str, str] = {}

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN).partition("?")[0]
        if path in documents:
            headers = {"Content-Security-Policy": POLICY}
            route.fulfill(body=documents[path], content_type="text/html", headers=headers)
            return
        found = finders.find(path.removeprefix("/static/")) if "/static/" in path else None
        if found is None:
            route.fulfill(status=404)
            return
        kind = mimetypes.guess_type(found)[0] or "application/octet-stream"
        route.fulfill(body=Path(found).read_bytes(), content_type=kind)

    def open_html(html: str) -> Page:
        documents["/"] = html
        page.goto(ORIGIN)
        return page

    def fail(error: Exception) -> None:
        pytest.fail(f"the page's script failed: {error}")

    page.on("pageerror", fail)
    page.route(f"{ORIGIN}/**", answer)
    return open_html


class FakeSocket:
    """The server's end of a page's websocket."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.connections: list[WebSocketRoute] = []
        self.received: list[dict[str, Any]] = []
        page.route_web_socket(lambda url: True, self._connected)

    def _connected(self, connection: WebSocketRoute) -> None:
        connection.on_message(lambda text: self.received.append(json.loads(text)))
        self.connections.append(connection)

    def send(self, *frames: dict[str, Any]) -> None:
        """Send frames over the newest connection."""
        for frame in frames:
            self.connections[-1].send(json.dumps({"v": 1, **frame}))

    def wait_for(self, kind: str, count: int = 1) -> list[dict[str, Any]]:
        """Return the messages of a kind as soon as there are `count` of them."""
        self._until(lambda: len(self._of(kind)) >= count, f"{count} × {kind}")
        return self._of(kind)

    def wait_for_connection(self, number: int = 1) -> None:
        """Return when the page has connected for the `number`th time."""
        self._until(lambda: len(self.connections) >= number, f"connection {number}")

    def _of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.received if message["type"] == kind]

    def _until(self, condition: Callable[[], bool], what: str) -> None:
        for _ in range(400):
            if condition():
                return
            self.page.wait_for_timeout(25)
        pytest.fail(f"{what} did not come; got {self.received}")


@pytest.fixture
def socket(page: Page) -> FakeSocket:
    """A websocket server in the test's hand; ask for it before the page is opened."""
    return FakeSocket(page)


def axe_findings(page: Page) -> list[str]:
    """Return what axe finds against WCAG 2.2 AA, one line each; needs `npm ci`."""
    if not AXE.exists():
        pytest.skip("axe-core is missing: npm ci")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    tags = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
    result = page.evaluate("tags => axe.run(document, {runOnly: tags})", tags)
    return [
        f"{finding['id']}: {node['html'][:200]}"
        for finding in result["violations"]
        for node in finding["nodes"]
    ]


def problems_of_pages(
    pages: Mapping[str, str],
    open_page: OpenPage,
    page: Page,
    *,
    width: int,
    theme: Literal["light", "dark"],
    prepare: Callable[[str], None] = lambda name: None,
) -> list[str]:
    """Look at pages at one width in one theme: what axe finds, what the policy blocks, what scrolls.

    `prepare` opens or clicks what is to be seen on the page of that name. Pictures are kept in the
    folder that WEKNORA_SHOTS names.
    """
    problems: list[str] = []
    page.on("console", lambda m: problems.append(m.text) if "Content Security" in m.text else None)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    for name, html in pages.items():
        open_page(html)
        prepare(name)
        if SHOTS:
            page.screenshot(path=Path(SHOTS) / f"{name} {width} {theme}.png")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            problems.append(f"{name}: scrolls sideways")
        problems += [f"{name}: {finding}" for finding in axe_findings(page)]
    return problems
