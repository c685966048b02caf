"""The pages of vector stores in each state, wide and narrow, light and dark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from celery import current_app
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page

from core.tenancy import space_scope
from knowledge.models import StoreMove
from knowledge.stores.moves import start_move
from tests.browser.conftest import OpenPage, axe_findings
from tests.factories.knowledge import make_base
from tests.factories.stores import make_store
from tests.knowledge.search_models import WordModel, add_document
from tests.knowledge.stores.worlds import MemoryStore, put_store_behind, work_off
from tests.personas import Persona

pytestmark = pytest.mark.browser
SHOTS = os.environ.get("WEKNORA_SHOTS", "")
WIDTHS = (1440, 390)


@pytest.fixture(scope="session", autouse=True)
def _rows_beside_the_browser() -> Iterator[None]:
    """The browser's loop runs in this thread all the time; the rows are made between its calls."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield


@pytest.fixture
def pages(
    transactional_db: None, olivia: Persona, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """The pages' HTML, by their state."""
    cache.clear()
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    client, model, memory = olivia.client, WordModel(), MemoryStore()
    listed = reverse("vector_stores")
    found = {"none": client.get(listed)}
    row = make_store(
        olivia.space, name="Qdrant in the cellar", server="Qdrant 1.15.0", checked_at=timezone.now()
    )
    make_store(
        olivia.space,
        name="A search cluster with a rather long name",
        address="https://search-cluster-17.vectors.example.com:9243",
        problem="The vector store does not answer as it should.",
        checked_at=timezone.now(),
    )
    put_store_behind(monkeypatch, row, lambda: memory)
    base = make_base(olivia.space, created_by=olivia.user, embedding_identity=model.identity)
    with space_scope(olivia.space.pk):
        add_document(base, *(f"The lamp number {n} burns." for n in range(12)), model=model)
        url = reverse("base_store", args=[base.pk])
        found["form"] = client.get(reverse("vector_store", args=[row.pk]))
        found["choice"] = client.get(url)
        start_move(olivia.actor, base_id=base.pk, store_id=row.pk)
        StoreMove.objects.update(done=5, reason="The store is busy. It is tried again.")
        found["filling"] = client.get(url)
        work_off()
        found["live"] = client.get(url)
        found["list"] = client.get(listed)
    return {name: answer.content.decode() for name, answer in found.items()}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_can_be_used_by_everybody(
    page: Page, open_page: OpenPage, pages: dict[str, str], scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of two
    for name, html in pages.items():
        open_page(html)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert overflow <= 0, f"{name} is {overflow} px too wide at {width}"
            if SHOTS:
                page.screenshot(path=Path(SHOTS) / f"stores-{name}-{scheme}-{width}.png")
        assert axe_findings(page) == [], name
