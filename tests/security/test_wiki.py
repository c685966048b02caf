"""S4: what a wiki shows to another space, and to everybody where it is published."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import NoReverseMatch, reverse

from knowledge.access.restrict import Place, restrict
from knowledge.models import Chunk
from tests.contracts.test_access import OURS
from tests.factories.knowledge import make_base, make_document
from tests.factories.wiki import make_page, make_wiki
from tests.personas import Persona
from wiki.pages.sources import store_sources
from wiki.services.publishing import publish_wiki
from wiki.text.sentences import split_sentences

OPEN, CLOSED = "The door is open.", "The safe holds 9 bars."


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


def test_s4_a_foreign_base_is_on_no_page_of_the_wiki(olivia: Persona, mallory: Persona) -> None:
    base = make_base(olivia.space, name="Vault", created_by=olivia.user)
    make_wiki(base, is_public=True, public_name="vault")
    page = make_page(base, slug="entity/safe", title="Safe", content=OPEN)
    known = {"base_id": base.pk, "page_id": page.pk, "slug": page.slug, "number": 1}
    asked = 0
    for address in OURS:
        if not address.name.startswith("wiki"):
            continue
        try:
            path = reverse(address.name, kwargs={k: known[k] for k in address.arguments})
        except (KeyError, NoReverseMatch):
            continue
        response = mallory.client.get(path)
        asked += 1
        if "base_id" in address.arguments:
            assert response.status_code in (404, 405), address.name
        assert "Vault" not in response.content.decode(), address.name
    assert asked > 15


@pytest.mark.parametrize("with_titles", [False, True])
def test_s4_a_public_page_has_nothing_of_a_restricted_document(
    olivia: Persona, cora: Persona, with_titles: bool
) -> None:
    with olivia.scope():
        base = make_base(olivia.space, created_by=olivia.user)
        make_wiki(base)
        shown = make_document(base, name="doors.txt", texts=[f"{OPEN} More of doors."])
        closed = make_document(base, name="safes.txt", texts=[CLOSED])
        place = Place(base_id=base.pk, document_id=closed.pk)
        restrict(olivia.actor, place, user_ids=[cora.user.pk], group_ids=[])
        page = make_page(base, slug="entity/safe", title="House", content=f"{OPEN} {CLOSED}\n")
        only = make_page(base, slug="entity/bars", title="Golden bars", content=CLOSED)
        chunks = [Chunk.objects.get(document=each).pk for each in (shown, closed)]
        first, second = split_sentences(page.content)
        store_sources(page, {first.hash: [chunks[0]], second.hash: [chunks[1]]})
        store_sources(only, {second.hash: [chunks[1]]})
        publish_wiki(olivia.actor, base_id=base.pk, name="house", with_titles=with_titles)
    client = cora.client  # who may read it gets no more of it at the public address
    for reader in (client, Client()):
        text = reader.get(reverse("public_wiki_page", args=["house", page.slug])).content.decode()
        front = reader.get(reverse("public_wiki", args=["house"])).content.decode()
        assert OPEN.rstrip(".") in text
        assert ("doors.txt" in text) is with_titles
        for hidden in ("9 bars", "safes.txt", "Golden bars", "More of doors", "/document/"):
            assert hidden not in text + front, hidden
        gone = reader.get(reverse("public_wiki_page", args=["house", only.slug]))
        assert gone.status_code == 404
