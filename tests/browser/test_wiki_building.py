"""The page of building in a browser: before, while, after, with failures; wide and narrow."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, problems_of_pages
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.factories.wiki import make_page, make_wiki
from tests.personas import Persona
from wiki.models import WikiBuild, WikiOperation

pytestmark = [pytest.mark.browser, pytest.mark.django_db]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_page_is_sound(
    olivia: Persona, open_page: OpenPage, page: Page, width: int, theme: Literal["light", "dark"]
) -> None:
    cache.clear()
    base = make_base(olivia.space, name="Harbour handbook", created_by=olivia.user)
    make_wiki(base)
    url = reverse("wiki_building", args=[base.pk])

    def html() -> str:
        return str(olivia.client.get(url).content.decode())

    with olivia.scope():
        pages = {"building-empty": html()}
        documents = [
            make_document(base, name=f"harbour {n}.md", texts=["The lamp burns."] * 3)
            for n in range(3)
        ]
        make_model(olivia.space, type="chat", is_default=True, name="Writer")
        pages["building-estimate"] = html()
        make_page(base, slug="entity/lamp", title="Pier lamp", content="It burns.")
        build = _build(base, olivia, documents, "claimed")
        pages["building-running"] = html()
        WikiOperation.objects.filter(build=build).update(
            state="dead", attempts=5, error="The model’s answer was cut off."
        )
        WikiBuild.objects.update(ended_at=timezone.now())
        pages["building-ended"] = html()

    def prepare(name: str) -> None:
        if name == "building-estimate":
            page.get_by_role("button", name="Build").click()
            expect(page.get_by_role("dialog")).to_contain_text("Calls of the model")

    found = problems_of_pages(pages, open_page, page, width=width, theme=theme, prepare=prepare)
    assert found == []


def _build(base: Any, olivia: Persona, documents: list[Any], state: str) -> WikiBuild:
    fields = {"space": olivia.space, "base": base}
    build = WikiBuild.objects.create(
        **fields,
        started_by=olivia.user,
        estimate={"calls": 39, "tokens": 52_000, "cents": 31, "currency": "EUR"},
        counts={
            "made": 4,
            "changed": 2,
            "proposed": 1,
            "calls": 12,
            "tokens_in": 9000,
            "tokens_out": 800,
            "cents": 7.5,
        },
        log=[
            {
                "at": "2026-05-01T10:00:00+00:00",
                "page": "entity/lamp",
                "what": "New page",
                "detail": "",
            },
            {
                "at": "2026-05-01T10:00:09+00:00",
                "page": "entity/lamp",
                "what": "Proposed",
                "detail": "Facts would be lost: 900 · Ada Byron",
            },
            {
                "at": "2026-05-01T10:00:12+00:00",
                "page": "",
                "what": "Not read",
                "detail": "harbour 2.md: The model’s answer was cut off.",
            },
        ],
    )
    for each in documents:
        WikiOperation.objects.create(
            **fields,
            build=build,
            document_id=each.pk,
            document_name=each.name,
            kind="ingest",
            state=state,
            not_before=timezone.now(),
        )
    return build
