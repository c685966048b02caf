"""Reading a wiki: its front, a page, old addresses, missing pages, the trash."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from knowledge.models import KnowledgeBase
from tests.factories.knowledge import make_base
from tests.factories.wiki import make_page
from tests.personas import Persona
from wiki.models import WikiPage, WikiSettings, WikiWatch
from wiki.services.pages import rename_page


def read(persona: Persona, page: WikiPage) -> str:
    response = persona.client.get(reverse("wiki_page", args=[page.base_id, page.slug]))
    assert response.status_code == 200
    return response.content.decode()


def act(persona: Persona, page: WikiPage, **data: str) -> None:
    address = reverse("wiki_page_act", args=[page.base_id, page.pk])
    assert persona.client.post(address, data).status_code == 302


def test_wiki_is_switched_on_by_who_may_change_the_base(olivia: Persona, victor: Persona) -> None:
    base = make_base(olivia.space, name="Archive", created_by=olivia.user)
    address = reverse("wiki_switch", args=[base.pk])
    assert victor.client.post(address).status_code == 403
    assert "Archive" in olivia.client.get(reverse("wikis")).content.decode()
    assert (
        "has no wiki" in olivia.client.get(reverse("wiki_index", args=[base.pk])).content.decode()
    )
    olivia.client.post(address)
    with olivia.scope():
        assert WikiSettings.objects.get(base=base).is_enabled


def test_links_lead_to_pages_and_missing_ones_offer_to_be_written(
    harbour: WikiPage, victor: Persona
) -> None:
    html = read(victor, harbour)
    crane = reverse("wiki_page", args=[harbour.base_id, "entity/crane"])
    assert f'<a href="{crane}" class="wiki-link">one crane</a>' in html
    assert f'<td><a href="{crane}" class="wiki-link">The crane</a></td>' in html
    assert 'class="wiki-link is-missing"' in html
    assert "?slug=entity%2Fferry" in html
    assert '<h2 id="p-rules">' in html


def test_drafts_are_no_target_for_who_may_not_see_them(
    base: KnowledgeBase, harbour: WikiPage, victor: Persona, olivia: Persona
) -> None:
    make_page(base, slug="entity/ferry", title="Secret ferry", status="draft")
    assert "Secret ferry" not in read(victor, harbour)
    assert "Secret ferry" in read(olivia, harbour)


def test_old_address_leads_to_the_page(harbour: WikiPage, olivia: Persona) -> None:
    rename_page(olivia.actor, harbour.pk, new_slug="concept/port", on_version=1)
    old = reverse("wiki_page", args=[harbour.base_id, "concept/harbour"])
    response = olivia.client.get(old, follow=True)
    assert response.redirect_chain[0][0].startswith(
        reverse("wiki_page", args=[harbour.base_id, "concept/port"])
    )
    assert "leads here now" in response.content.decode()


def test_missing_page_offers_to_write_and_to_search(base: KnowledgeBase, olivia: Persona) -> None:
    response = olivia.client.get(reverse("wiki_page", args=[base.pk, "entity/grey-heron"]))
    html = response.content.decode()
    assert response.status_code == 404
    assert "There is no page “Grey heron”" in html
    assert "?slug=entity%2Fgrey-heron" in html


def test_index_groups_searches_and_filters(harbour: WikiPage, victor: Persona) -> None:
    address = reverse("wiki_index", args=[harbour.base_id])
    html = victor.client.get(address).content.decode()
    assert "Changed lately" in html
    assert html.count('<section class="wiki-group">') == 2
    found = victor.client.get(address, {"q": "lifts"}, headers={"HX-Request": "true"})
    assert "1 page found" in found.content.decode()
    assert b"<!doctype" not in found.content
    nothing = victor.client.get(address, {"q": "submarine"}).content.decode()
    assert "No page says “submarine”" in nothing


def test_index_loads_more_of_one_kind(base: KnowledgeBase, victor: Persona) -> None:
    for number in range(33):
        make_page(base, slug=f"concept/p-{number:02}", title=f"Thing {number:02}")
    address = reverse("wiki_index", args=[base.pk])
    html = victor.client.get(address, {"kind": "concept"}).content.decode()
    assert "Thing 29</a></div>" not in html
    assert "cursor=" in html
    cursor = html.partition("cursor=")[2].partition('"')[0]
    more = victor.client.get(f"{address}?cursor={cursor}", headers={"HX-Request": "true"})
    assert more.content.decode().count("<li>") == 3


def test_page_is_deleted_with_undo_and_comes_back(harbour: WikiPage, olivia: Persona) -> None:
    address = reverse("wiki_page_act", args=[harbour.base_id, harbour.pk])
    response = olivia.client.post(address, {"action": "delete", "version": "1"}, follow=True)
    assert "“Harbour” is in the trash." in response.content.decode()
    trash = reverse("wiki_trash", args=[harbour.base_id])
    olivia.client.post(trash, {"page": str(harbour.pk)})
    assert '<h2 class="bidi">Harbour</h2>' in read(olivia, harbour)


def test_viewer_proposes_instead_of_deleting(harbour: WikiPage, victor: Persona) -> None:
    act(victor, harbour, action="delete", version="1")
    harbour.refresh_from_db()
    assert harbour.trashed_at is None
    assert harbour.changes.count() == 1


def test_page_is_moved_watched_and_gets_its_own_review(
    base: KnowledgeBase, harbour: WikiPage, olivia: Persona, victor: Persona
) -> None:
    olivia.client.post(reverse("wiki_folders", args=[base.pk]), {"name": "Gear"})
    folder = base.wiki_folders.get()
    act(olivia, harbour, action="move", folder=str(folder.pk))
    act(olivia, harbour, action="review", review="all")
    act(victor, harbour, action="watch")
    harbour.refresh_from_db()
    assert (harbour.folder_id, harbour.review) == (folder.pk, "all")
    assert WikiWatch.objects.get().user_id == victor.user.pk
    assert "Gear" in read(victor, harbour)


def test_viewer_moves_nothing(harbour: WikiPage, victor: Persona) -> None:
    address = reverse("wiki_page_act", args=[harbour.base_id, harbour.pk])
    assert victor.client.post(address, {"action": "move"}).status_code == 403


def test_a_long_page_has_all_its_links(base: KnowledgeBase, olivia: Persona) -> None:
    content = "\n".join(f"Line {n} names [[entity/crane]] and **more**.\n" for n in range(1250))
    assert read(olivia, make_page(base, content=content)).count("wiki-link") >= 1250


def test_queries_of_a_page_do_not_grow_with_its_links(
    base: KnowledgeBase, olivia: Persona, django_assert_max_num_queries: Any
) -> None:
    for n in range(30):
        make_page(base, slug=f"concept/p-{n}")
    page = make_page(base, content=" ".join(f"[[concept/p-{n}]]" for n in range(60)))
    read(olivia, page)
    with django_assert_max_num_queries(45):
        read(olivia, page)
