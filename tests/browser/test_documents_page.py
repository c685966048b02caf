"""Uploads and rows of the documents page against requests answered in the test."""

from __future__ import annotations

import json

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import expect

from tests.browser import samples

pytestmark = pytest.mark.browser
UPLOAD = "**/upload/"


def file(name: str, size: int = 10) -> dict[str, object]:
    return {"name": name, "mimeType": "text/plain", "buffer": b"x" * size}


def choose(page, *files):
    page.locator("#upload input[name=file]").set_input_files(list(files))


def line(page, name):
    return page.locator("#tray-list li").filter(has_text=name)


@pytest.fixture
def page_of_base(open_page):
    return open_page(samples.base_page())


def test_files_are_sent_one_a_request_with_our_token(page_of_base):
    requests = []

    def take(route):
        requests.append(route.request)
        route.fulfill(status=201, body="{}")

    page_of_base.route(UPLOAD, take)
    choose(page_of_base, file("a.txt"), file("b.txt"))
    expect(page_of_base.locator("#tray-title")).to_have_text("2 uploaded")
    assert len(requests) == 2
    assert all(request.headers["x-csrftoken"] == "token" for request in requests)
    assert all(request.headers["accept"] == "application/json" for request in requests)


def test_no_more_than_three_files_are_sent_at_once(page_of_base):
    held = []
    page_of_base.route(UPLOAD, lambda route: held.append(route))
    choose(page_of_base, *(file(f"{number}.txt") for number in range(5)))
    sending = page_of_base.locator("#tray-list li[data-state=sending]")
    expect(sending).to_have_count(3)
    expect(page_of_base.locator("#tray-list li[data-state=waiting]")).to_have_count(2)
    held[0].fulfill(status=201, body="{}")
    expect(page_of_base.locator("#tray-list li[data-state=waiting]")).to_have_count(1)
    for route in held[1:]:
        route.abort()


def test_refusal_is_told_in_the_servers_words(page_of_base):
    body = json.dumps({"error": {"code": "conflict", "message": "It is here already."}})
    page_of_base.route(UPLOAD, lambda route: route.fulfill(status=409, body=body))
    choose(page_of_base, file("twice.txt"))
    expect(line(page_of_base, "twice.txt")).to_contain_text("It is here already.")
    expect(page_of_base.locator("#tray-title")).to_have_text("0 of 1 uploaded")


def test_page_of_a_proxy_does_not_become_a_message(page_of_base):
    page_of_base.route(UPLOAD, lambda route: route.fulfill(status=413, body="<h1>413 nginx</h1>"))
    choose(page_of_base, file("big.txt"))
    expect(line(page_of_base, "big.txt")).to_contain_text("The server rejected it.")


def test_unfit_files_are_not_sent(page_of_base):
    page_of_base.route(UPLOAD, lambda route: pytest.fail("it was sent"))
    choose(page_of_base, file("empty.txt", 0), file("huge.txt", 1_500_000))
    expect(line(page_of_base, "empty.txt")).to_contain_text("The file is empty.")
    expect(line(page_of_base, "huge.txt")).to_contain_text("It has 1.5 MB; 1 MB are the most.")


def test_failed_file_can_be_tried_again(page_of_base):
    answers = [500, 201]
    page_of_base.route(UPLOAD, lambda route: route.fulfill(status=answers.pop(0), body="{}"))
    choose(page_of_base, file("a.txt"))
    line(page_of_base, "a.txt").get_by_role("button", name="Try again").click()
    expect(page_of_base.locator("#tray-title")).to_have_text("1 uploaded")


def test_list_is_fetched_again_after_an_upload(page_of_base):
    page_of_base.route(UPLOAD, lambda route: route.fulfill(status=201, body="{}"))
    with page_of_base.expect_request(lambda request: request.headers.get("hx-request") == "true"):
        choose(page_of_base, file("a.txt"))


def test_rows_change_without_losing_focus(page_of_base):
    rows = [samples.document(1, status=samples.status("completed", "Ready", reason="Fresh."))]
    context = samples.base_context(rows=[*rows, *samples.documents()[1:]])
    fragment = render_to_string("knowledge/_documents.html", context)
    page_of_base.route(
        lambda url: True,
        lambda route: (
            route.fulfill(body=fragment, content_type="text/html")
            if route.request.headers.get("hx-target") == "documents"
            else route.fulfill(status=204)
            if route.request.headers.get("hx-request")
            else route.fallback()
        ),
    )
    button = page_of_base.get_by_role("button", name="Delete Leave policy 2.pdf")
    button.focus()
    page_of_base.evaluate("document.body.dispatchEvent(new CustomEvent('documents'))")
    expect(page_of_base.locator("#documents")).to_contain_text("Fresh.")
    expect(button).to_be_focused()


def test_delete_dialog_names_its_document(page_of_base):
    page_of_base.get_by_role("button", name="Delete Leave policy 2.pdf").click()
    dialog = page_of_base.get_by_role("dialog", name="Delete this document?")
    expect(dialog).to_contain_text("Leave policy 2.pdf")
    action = dialog.locator("form").get_attribute("action")
    assert samples.document(2)["id"] in action


def test_cited_passage_is_in_view(open_page):
    page = open_page(samples.document_page())
    expect(page.locator("#chunk-p3.is-target")).to_be_in_viewport()
