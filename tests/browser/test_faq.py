"""Questions and answers in a browser: written, switched, imported, deleted and brought back."""

from __future__ import annotations

import mimetypes
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.contrib.staticfiles import finders
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from core.jobs.work import work
from knowledge.constants import BaseKind
from knowledge.faq import indexing
from knowledge.faq.drafts import EntryDraft
from knowledge.faq.services import create_entry
from knowledge.models import FaqEntry, KnowledgeBase, Tag
from tests.browser.conftest import ORIGIN, axe_findings
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHOTS = os.environ.get("WEKNORA_SHOTS", "")
"""A folder for pictures of the pages, for people who want to look at them."""
Go = Callable[[str], Page]


@pytest.fixture
def faq(
    cora: Persona, settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[KnowledgeBase]:
    """Cora's base with three entries, indexed by a model of words."""
    cache.clear()
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    for module in (indexing, "knowledge.retrieval.models"):
        name = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{name}.get_embedding_model", lambda *_, **__: WordModel())
    base = make_base(cora.space, name="Support", created_by=cora.user, kind=BaseKind.FAQ)
    with cora.scope():
        Tag.objects.create(space=cora.space, base=base, name="Payment", color="ok")
        for draft in _drafts():
            create_entry(cora.actor, base_id=base.pk, draft=draft)
        index()
        yield base


def _drafts() -> list[EntryDraft]:
    long = "You can pay by card, by wire and in cash at the counter of every office. " * 4
    return [
        EntryDraft(
            standard_question="How do I pay?",
            similar_questions=("Payment", "Which cards do you take?"),
            negative_questions=("How do I pay taxes?",),
            answers=(long, "Ask at the counter."),
            tag="Payment",
        ),
        EntryDraft(
            standard_question="A question that is rather long, so that one sees how it is shown"
            " on a narrow screen, where it takes more than one line?",
            answers=("Yes.",),
            is_enabled=False,
        ),
        EntryDraft(standard_question="如何申请退款？", answers=("请联系客服。",)),
    ]


@pytest.fixture
def go(page: Page, cora: Persona) -> Go:
    """Return a function that opens an address; cora's requests are answered by the product."""

    def answer(route: Route) -> None:
        request = route.request
        headers = {key: value for key, value in request.headers.items() if key.startswith("hx-")}
        try:
            response = cora.client.generic(
                request.method,
                request.url.removeprefix(ORIGIN),
                request.post_data_buffer or b"",
                content_type=request.headers.get("content-type", ""),
                headers=headers,
            )
            while response.status_code == 302:
                response = cora.client.get(response.headers["Location"], headers=headers)
            content, sent = response.content, dict(response.headers)
        finally:
            connections.close_all()  # the browser's calls have their own ones
        route.fulfill(status=response.status_code, body=content, headers=sent)

    def open_address(path: str) -> Page:
        page.goto(f"{ORIGIN}{path}")
        return page

    return _with_static(page, answer, open_address)


def _with_static(page: Page, answer: Callable[[Route], None], go: Go) -> Go:

    def static(route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN).partition("?")[0]
        found = finders.find(path.removeprefix("/static/"))
        if not isinstance(found, str):
            route.fulfill(status=404)
            return
        kind = mimetypes.guess_type(found)[0] or "application/octet-stream"
        route.fulfill(body=Path(found).read_bytes(), content_type=kind)

    page.route(f"{ORIGIN}/**", answer)
    page.route(f"{ORIGIN}/static/**", static)
    page.route_web_socket(lambda url: True, lambda socket: None)
    return go


def index() -> None:
    while work("ingest"):
        pass


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_are_accessible(
    go: Go, cora: Persona, faq: KnowledgeBase, width: int, theme: Any
) -> None:
    empty = make_base(cora.space, name="Empty", created_by=cora.user, kind=BaseKind.FAQ)
    first = FaqEntry.objects.get(number=1)
    search = reverse("faq_search", args=[faq.pk])
    asked = {
        "entries": reverse("faq", args=[faq.pk]),
        "empty": reverse("faq", args=[empty.pk]),
        "entry": reverse("faq_entry", args=[first.pk]),
        "search": f"{search}?question=which+cards&threshold=0.1",
    }
    problems: list[str] = []
    for name, address in asked.items():
        page = go(address)
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        if name == "entries":
            page.get_by_role("link", name="How do I pay?").first.click()
            expect(page.locator("#panel form")).to_be_visible()
        _shoot(page, f"faq {name} {width} {theme}")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            problems.append(f"{name}: scrolls sideways")
        problems += [f"{name}: {finding}" for finding in axe_findings(page)]
        if name == "entries":
            page.keyboard.press("Escape")
            expect(page.locator("#panel form")).to_have_count(0)
            _shoot(page, f"faq table {width} {theme}")
    assert problems == []


def test_an_entry_is_written_with_a_hint_on_the_way(go: Go, faq: KnowledgeBase) -> None:
    page = go(reverse("faq", args=[faq.pk]))
    page.get_by_role("link", name="New entry").click()
    page.get_by_label("Standard question").press_sequentially("how do i PAY")
    expect(page.locator("#faq-hints")).to_contain_text("Entry 1 already asks")
    page.get_by_label("Standard question").fill("Where is the office?")
    expect(page.locator("#faq-hints")).to_be_empty()
    page.get_by_label("Answer", exact=True).fill("At the harbour.")
    page.get_by_role("button", name="Another answer").click()
    page.get_by_label("Answer", exact=True).last.fill("By the sea.")
    page.get_by_role("button", name="Create entry").click()
    expect(page.get_by_role("link", name="Where is the office?")).to_be_visible()
    assert FaqEntry.objects.get(number=4).answers == ["At the harbour.", "By the sea."]


def test_a_switch_in_its_row_changes_the_entry(go: Go, faq: KnowledgeBase) -> None:
    page = go(reverse("faq", args=[faq.pk]))
    page.get_by_role("switch", name="Enabled: How do I pay?").uncheck()
    expect(page.locator("tr.is-off", has_text="How do I pay?")).to_be_visible()
    assert not FaqEntry.objects.get(number=1).is_enabled


def test_chosen_entries_are_deleted_and_brought_back(go: Go, faq: KnowledgeBase) -> None:
    page = go(reverse("faq", args=[faq.pk]))
    page.get_by_label("Choose all on this page").check()
    page.locator("#bulk").get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("status").first).to_contain_text("3 entries were deleted")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="How do I pay?")).to_be_visible()


def test_a_file_is_imported_while_one_looks_on(go: Go, cora: Persona, faq: KnowledgeBase) -> None:
    page = go(reverse("faq", args=[faq.pk]))
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("dialog", name="Import entries").get_by_label("File")).to_be_visible()
    _shoot(page, "faq import dialog")
    # Sent beside the browser, which does not hand over the files that it uploads.
    table = b"Question,Similar questions,Answer\nNew?,Newer?##payment,Yes.\nBad?,,\n"
    data = {"file": SimpleUploadedFile("entries.csv", table), "mode": "append"}
    cora.client.post(reverse("faq_import", args=[faq.pk]), data)
    page = go(reverse("faq", args=[faq.pk]))
    panel = page.locator("#faq-import-panel")
    expect(panel).to_contain_text("Waiting for a worker")
    index()
    expect(panel).to_contain_text(re.compile(r"1 added\s*1 without some questions\s*1 failed"))
    expect(page.get_by_role("link", name="New?")).to_be_visible()
    _shoot(page, "faq import result")
    assert axe_findings(page) == []


def _shoot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}.png")
