"""Batches of uploads in the page's script, against requests answered in the test."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import samples
from tests.browser.test_documents_page import choose, file, line

pytestmark = pytest.mark.browser
UPLOAD, BEGIN, ENDED = "**/upload/", "**/batches/", "**/batches/7/uploads/"
ESTIMATE = "**/batches/estimate/"


class Server:
    """Answers what the script asks, and keeps what it sent."""

    def __init__(self, page: Page) -> None:
        self.sent: list[tuple[str, str]] = []
        page.route(UPLOAD, lambda route: self._take("upload", route, 201, "{}"))
        made = json.dumps({"id": "7", "url": "/batches/7/"})
        page.route(BEGIN, lambda route: self._take("begin", route, 201, made))
        page.route(ESTIMATE, lambda route: self._take("estimate", route, 200, "<p>6 documents</p>"))
        page.route("**/batches/7/?part=line", lambda route: route.fulfill(body="<p>0 of 2</p>"))
        page.route(ENDED, lambda route: self._take("end", route, 204, ""))

    def _take(self, what: str, route: Route, status: int, body: str) -> None:
        self.sent.append((what, route.request.post_data or ""))
        route.fulfill(status=status, body=body)

    def of(self, what: str) -> list[str]:
        return [body for kind, body in self.sent if kind == what]


@pytest.fixture
def base(open_page: Any) -> Page:
    page: Page = open_page(samples.base_page())
    return page


def test_files_of_one_drop_carry_one_batch_which_is_told_its_end(base: Page) -> None:
    server = Server(base)
    with base.expect_request(ENDED):
        choose(base, file("a.txt"), file("b.txt"), file("none.txt", 0))
    expect(base.locator("#tray-title")).to_have_text("2 of 3 uploaded")
    expect(base.locator("#tray-batch")).to_have_text("0 of 2")
    uploads = server.of("upload")
    assert len(uploads) == 2
    assert all('name="batch"' in each for each in uploads)
    assert "none.txt" in server.of("end")[-1]


def test_single_file_needs_no_batch(base: Page) -> None:
    server = Server(base)
    choose(base, file("a.txt"))
    expect(base.locator("#tray-title")).to_have_text("1 uploaded")
    assert not server.of("begin")


def test_nothing_is_sent_before_a_large_upload_is_wanted(base: Page) -> None:
    server = Server(base)
    base.evaluate("document.getElementById('upload').dataset.batchFiles = 2")
    choose(base, *(file(f"{number}.txt") for number in range(3)))
    dialog = base.get_by_role("dialog", name="Upload all of this?")
    expect(dialog).to_contain_text("6 documents")
    assert not server.of("begin") + server.of("upload")
    dialog.get_by_role("button", name="Cancel").click()
    expect(base.locator("#tray")).to_be_hidden()
    choose(base, *(file(f"{number}.txt") for number in range(3)))
    dialog.get_by_role("button", name="Start the upload").click()
    expect(base.locator("#tray-title")).to_have_text("3 uploaded")
    assert len(server.of("begin")) == 1


def test_too_many_at_once_is_waited_for_and_is_no_failure(base: Page) -> None:
    answers = [(429, {"Retry-After": "1"})] * 4 + [(201, {})]

    def take(route: Route) -> None:
        status, headers = answers.pop(0)
        route.fulfill(status=status, headers=headers, body="{}")

    base.route(UPLOAD, take)
    choose(base, file("a.txt"))
    expect(line(base, "a.txt")).to_contain_text("Waits for its turn")
    expect(base.locator("#tray-title")).to_have_text("1 uploaded", timeout=20_000)


def test_of_thousands_only_some_have_a_line(base: Page) -> None:
    Server(base)
    base.route(UPLOAD, lambda route: None)  # never answered: the others wait
    base.evaluate("document.getElementById('upload').dataset.batchFiles = 5000")
    base.evaluate(
        """() => {
          const transfer = new DataTransfer();
          for (let n = 0; n < 1000; n++) transfer.items.add(new File(["x"], `${n}.txt`));
          const input = document.querySelector("#upload input[name=file]");
          input.files = transfer.files;
          input.dispatchEvent(new Event("change", { bubbles: true }));
        }"""
    )
    expect(base.locator("#tray-title")).to_have_text("Uploading 1 of 1000")
    expect(base.locator("#tray-list li")).to_have_count(200)
