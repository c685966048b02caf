"""The public pages of a wiki and the switch for them in a browser: wide and narrow, light and dark."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage, problems_of_pages
from tests.factories.knowledge import make_base, make_document
from tests.factories.wiki import make_page, make_wiki
from tests.personas import Persona
from wiki.models import WikiFolder
from wiki.pages.sources import store_sources
from wiki.services.pages import edit_page
from wiki.services.publishing import publish_wiki
from wiki.text.sentences import split_sentences

pytestmark = [pytest.mark.browser, pytest.mark.django_db]
TEXT = """High water comes about every twelve hours, see [[entity/crane]] and [[concept/fog]].

## Low water

| Month | Low water |
|---|--:|
| May | 3.9 m |

## Storms

The gate closes at force nine; 港口主管 rings the bells.
"""


def test_public_pages_and_their_switch_are_sound(
    olivia: Persona, open_page: OpenPage, page: Page
) -> None:
    base = make_base(olivia.space, name="Harbour handbook", created_by=olivia.user)
    make_wiki(base)
    with olivia.scope():
        fields = {"space": olivia.space, "base": base}
        water = WikiFolder.objects.create(**fields, name="Water", path="Water")
        make_page(base, slug="entity/crane", title="Crane", content="It lifts.")
        for n in range(24):
            make_page(base, slug=f"concept/berth-{n}", title=f"Berth {n}", content="x")
        tides = make_page(
            base, slug="concept/tides", title="Tides", content=TEXT, folder=water,
            summary="When ships come in.",
        )  # fmt: skip
        edit_page(olivia.actor, tides.pk, on_version=1, content=TEXT.replace("twelve", "11"))
        tides.refresh_from_db()
        document = make_document(base, name="tide table.txt", texts=["Every 11 hours."])
        sentences = split_sentences(tides.content)
        store_sources(tides, {sentences[0].hash: [document.chunks.get().pk]})
        publish_wiki(olivia.actor, base_id=base.pk, name="harbour", with_titles=True)
    settings = olivia.client.get(reverse("wiki_settings", args=[base.pk]))
    compare = olivia.client.get(reverse("wiki_compare", args=[base.pk, tides.pk]) + "?from=1&to=2")
    front = reverse("public_wiki", args=["harbour"])
    pages = {
        "public-index": Client().get(front).content.decode(),
        "public-search": Client().get(f"{front}?q=nothing").content.decode(),
        "public-page": Client().get(
            reverse("public_wiki_page", args=["harbour", "concept/tides"])
        ).content.decode(),
        "wiki-publish": settings.content.decode(),
        "wiki-compare": compare.content.decode(),
    }  # fmt: skip

    def opened(name: str) -> None:
        if name == "wiki-publish":
            page.get_by_role("button", name="Change…").click()

    found: list[str] = []
    for width in (1440, 390):
        for theme in ("light", "dark"):
            found += problems_of_pages(
                pages, open_page, page, width=width, theme=theme, prepare=opened
            )
    assert found == []
