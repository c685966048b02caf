"""Browser fixtures: Debian's Chromium, pages of our own static files, and a look through axe."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Page, Route

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

OpenPage = Callable[[str], Page]


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Start the system's Chromium; nothing is downloaded."""
    if not CHROMIUM.exists():
        pytest.skip("Chromium is missing: apt-get install chromium")
    return {**browser_type_launch_args, "executable_path": str(CHROMIUM), "args": FLAGS}


@pytest.fixture
def open_page(page: Page) -> OpenPage:
    """Return a function that opens HTML with our static files, under the pages' strict policy.

    No server runs: the browser's requests are answered here. A script error fails the test.
    """
    static = Path(settings.BASE_DIR) / "static"
    documents: dict[str, str] = {}

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN).partition("?")[0]
        if path in documents:
            headers = {"Content-Security-Policy": POLICY}
            route.fulfill(body=documents[path], content_type="text/html", headers=headers)
            return
        file = static / path.removeprefix("/static/")
        if not path.startswith("/static/") or not file.is_file():
            route.fulfill(status=404)
            return
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        route.fulfill(body=file.read_bytes(), content_type=kind)

    def open_html(html: str) -> Page:
        documents["/"] = html
        page.goto(ORIGIN)
        return page

    def fail(error: Exception) -> None:
        pytest.fail(f"the page's script failed: {error}")

    page.on("pageerror", fail)
    page.route(f"{ORIGIN}/**", answer)
    return open_html


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
