"""Passages in a real browser: corrected, kept over another reading, taken back, in two hands at once.

The browser's requests are answered by the product in this process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from celery import current_app
from django.conf import settings as django_settings
from django.contrib.staticfiles import finders
from django.core.cache import cache
from django.db import connections
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page, Route, expect

from core.jobs.work import work
from core.tenancy import space_scope
from knowledge.corrections import tasks
from knowledge.ingest import pipeline
from knowledge.models import Document
from knowledge.services.documents import add_document, retry_document, set_processing
from tests.browser.conftest import ORIGIN, SHOTS, axe_findings
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHARED = Path(os.environ.get("WEKNORA_SHARED", django_settings.BASE_DIR / ".." / "shared"))
TEXT = "\n\n".join(
    f"# {name}\n\nThe {name.lower()} of the harbor are looked after by keeper {number}."
    f" Every evening keeper {number} counts the {name.lower()} and writes the hour into the book."
    for number, name in enumerate(("Lamps", "Ropes", "Boats"), 1)
)
SMALL = {"split": {"size_characters": 200, "overlap_characters": 0}}
LARGE = {"split": {"size_characters": 2000, "overlap_characters": 0, "strategy": "recursive"}}


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    cache.clear()
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    for module in (pipeline, tasks):
        monkeypatch.setattr(module, "get_embedding_model", lambda *_, **__: WordModel())


def answer_by(client: Client, page: Page) -> None:
    """Let the product answer what the page asks for, signed in as the client is."""

    def answer(route: Route) -> None:
        request, parts = route.request, urlsplit(route.request.url)
        if parts.path.startswith("/static/"):
            found = finders.find(parts.path.removeprefix("/static/"))
            route.fulfill(path=str(found)) if found else route.fulfill(status=404)
            return
        headers = {
            name: value
            for name, value in request.headers.items()
            if name.startswith("hx-") or name in ("accept", "content-type")
        }
        try:
            given = client.generic(
                request.method,
                parts.path,
                request.post_data_buffer or b"",
                content_type=headers.pop("content-type", ""),
                headers=headers,
                QUERY_STRING=parts.query,
            )
            body = given.getvalue()
        finally:
            connections.close_all()  # each answer has a context, and so a connection, of its own
        route.fulfill(status=given.status_code, headers=dict(given.items()), body=body)

    page.route(f"{ORIGIN}/**", answer)


def finish(document: Document) -> None:
    while work("ingest"):
        pass
    document.refresh_from_db()


def read_with(persona: Persona, document: Document, processing: dict[str, Any]) -> None:
    set_processing(persona.actor, document_id=document.pk, processing=processing)
    retry_document(persona.actor, document_id=document.pk)
    finish(document)


@pytest.fixture
def document(cora: Persona) -> Iterator[Document]:
    base = make_base(cora.space, name="Harbor", created_by=cora.user, options=SMALL)
    with space_scope(cora.space.pk):
        made = add_document(cora.actor, base_id=base.pk, name="harbor.md", content=TEXT.encode())
        finish(made)
        yield made


def chunks_url(document: Document) -> str:
    return ORIGIN + reverse("document_chunks", args=[document.pk])


def card(page: Page, words: str) -> Any:
    return page.locator(".chunk", has_text=words)


def test_correction_is_made_kept_over_another_reading_and_taken_back(
    page: Page, cora: Persona, document: Document
) -> None:
    answer_by(cora.client, page)
    page.goto(chunks_url(document))
    card(page, "ropes").get_by_role("link", name="Edit").click()
    box = page.get_by_label("Text", exact=True)
    box.fill(box.input_value().replace("keeper 2 counts", "Ada weighs"))
    page.get_by_role("button", name="Save").click()
    expect(card(page, "Ada weighs")).to_contain_text("Edited by")
    read_with(cora, document, LARGE)
    page.goto(chunks_url(document))
    expect(page.locator(".chunk")).to_have_count(1)
    expect(card(page, "Ada weighs")).to_contain_text("keeper 3 counts the boats")
    card(page, "Ada weighs").get_by_role("link", name="Revisions").click()
    expect(page.locator(".revision", has_text="Carried over")).to_be_visible()
    first = page.locator(".revision", has_text="As it was read from the file")
    first.get_by_role("button", name="Go back to it").click()
    expect(card(page, "keeper 2 counts the ropes")).to_be_visible()
    expect(page.locator(".chunk", has_text="Ada")).to_have_count(0)


def test_second_of_two_editors_is_told_and_sees_both_texts(
    page: Page, browser: Browser, cora: Persona, olivia: Persona, document: Document
) -> None:
    other = browser.new_page()
    for client, each in ((cora.client, page), (olivia.client, other)):
        answer_by(client, each)
        each.goto(chunks_url(document))
        card(each, "ropes").get_by_role("link", name="Edit").click()
    page.get_by_label("Text", exact=True).fill("The ropes are Ada's.")
    page.get_by_role("button", name="Save").click()
    expect(card(page, "The ropes are Ada's.")).to_be_visible()
    other.get_by_label("Text", exact=True).fill("The ropes are Grace's.")
    other.get_by_role("button", name="Save").click()
    expect(other.locator(".callout")).to_contain_text("Somebody else changed this passage")
    expect(other.locator("del")).to_contain_text("Ada")
    expect(other.locator("ins")).to_contain_text("Grace")
    expect(other.get_by_label("Text", exact=True)).to_have_value("The ropes are Grace's.")
    look(other, "conflict")
    other.get_by_role("button", name="Save my text").click()
    expect(card(other, "The ropes are Grace's.")).to_be_visible()
    other.close()


def test_switch_and_questions_change_in_their_place(
    page: Page, cora: Persona, document: Document
) -> None:
    answer_by(cora.client, page)
    page.goto(chunks_url(document))
    ropes = card(page, "counts the ropes")
    ropes.get_by_role("button", name="Switch off").click()
    expect(ropes.get_by_role("button", name="Switch on")).to_be_visible()
    ropes.locator("summary").click()
    ropes.get_by_label("New question").fill("Who minds the ropes?")
    ropes.get_by_role("button", name="Add").click()
    expect(ropes.get_by_label("Question", exact=True)).to_have_value("Who minds the ropes?")
    expect(ropes.locator("summary")).to_contain_text("1 question")


def test_region_and_passage_show_each_other(page: Page, cora: Persona) -> None:
    file = SHARED / "data" / "documents" / "2305.03393v1-pg9.pdf"
    if not file.exists():
        pytest.skip(f"{file} is not there: set WEKNORA_SHARED")
    base = make_base(cora.space, name="Papers", created_by=cora.user)
    with space_scope(cora.space.pk):
        document = add_document(
            cora.actor, base_id=base.pk, name="paper.pdf", content=file.read_bytes()
        )
        finish(document)
        answer_by(cora.client, page)
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(chunks_url(document))
        image = page.locator(".page-sheet img")
        expect(image).to_have_js_property("complete", True)
        assert image.evaluate("image => image.naturalWidth") > 500
        region = page.locator("[data-region]").last
        target = region.get_attribute("data-region")
        region.click()
        expect(page.locator(f"#chunk-{target}")).to_be_focused()
        page.locator(".chunk .where").first.click()
        first = page.locator(".chunk").first.get_attribute("data-chunk")
        expect(page.locator(f"#region-{first}")).to_have_class("is-near")
        look(page, "viewer")
        page.locator(".chunk").first.get_by_role("link", name="Edit").click()
        look(page, "edit")


def look(page: Page, name: str) -> None:
    """Look at the page wide and narrow, light and dark: nothing scrolls sideways, axe is content."""
    schemes: tuple[Any, ...] = ("light", "dark")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert overflow <= 0, f"{name} is {overflow} px too wide at {width}"
            if SHOTS:
                page.screenshot(path=Path(SHOTS) / f"chunks-{name}-{scheme}-{width}.png")
        page.set_viewport_size({"width": 1440, "height": 900})
        findings = axe_findings(page)
        assert not findings, "\n".join(findings)
