"""The page of a base's embedding model in each state, wide and narrow, light and dark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page

from core.tenancy import space_scope
from knowledge.models import Embedding, EmbeddingChange
from knowledge.reembedding.services import cut_over, start_change
from tests.browser.conftest import OpenPage, axe_findings
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.providers import make_model
from tests.knowledge.reembedding.conftest import make_shelf, put_models_in
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
    """The pages' HTML, by the state of the change."""
    cache.clear()
    models = put_models_in(monkeypatch)
    with space_scope(olivia.space.pk):
        shelf = make_shelf(olivia, models, name="Harbour")
        shelf.add(
            "The lamp burns at the pier.", "Ropes hang in the store.", "A boat lies on the quay."
        )
        shelf.add(*(f"The lamp number {n} burns at night." for n in range(12)), name="lamps.md")
        shelf.new.parameters = {"input_price": 900, "currency": "EUR"}
        shelf.new.save()
        make_model(olivia.space, type="chat", is_default=True)
        conversation = make_conversation(
            olivia.space, user=olivia.user, agent=make_agent(olivia.space)
        )
        make_run(conversation, question="Where does the lamp burn?", answer="At the pier.")
        url = reverse("base_embedding", args=[shelf.base.pk])
        found = {"choice": olivia.client.get(url)}
        start_change(olivia.actor, base_id=shelf.base.pk, model_id=shelf.new.pk)
        EmbeddingChange.objects.update(done=6, reason="The model is busy. It is tried again.")
        found["building"] = olivia.client.get(url)
        shelf.work_off()
        found["ready"] = olivia.client.get(url)
        compare = reverse("base_embedding_compare", args=[shelf.base.pk])
        found["compared"] = olivia.client.get(compare, {"question": "Where does the lamp burn?"})
        cut_over(olivia.actor, base_id=shelf.base.pk)
        found["live"] = olivia.client.get(url)
        assert Embedding.objects.filter(identity="new/1").count() == 15
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
                page.screenshot(path=Path(SHOTS) / f"embedding-{name}-{scheme}-{width}.png")
        assert axe_findings(page) == [], name
