"""History of a page: revisions, comparison, rolling back, who wrote what; and what it does not show."""

from __future__ import annotations

import pytest
from django.urls import reverse

from knowledge.access.restrict import Place, restrict
from knowledge.models import Chunk, KnowledgeBase
from tests.factories.knowledge import make_document
from tests.factories.wiki import make_page
from tests.personas import Persona
from wiki.models import WikiPage
from wiki.pages.sources import store_sources
from wiki.services.pages import edit_page
from wiki.text.sentences import split_sentences

FIRST = "# Gate\n\nIt opens at nine.\n\nThe safe holds 9 bars.\n"
SECOND = FIRST.replace("nine", "ten") + "\n- New item\n"


@pytest.fixture
def gate(base: KnowledgeBase, olivia: Persona) -> WikiPage:
    """A page of two revisions."""
    page = make_page(base, title="Gate", content=FIRST, by=olivia.user)
    edit_page(olivia.actor, page.pk, on_version=1, content=SECOND, reason="Summer hours")
    page.refresh_from_db()
    return page


def get(persona: Persona, page: WikiPage, name: str, *more: object, **query: str) -> str:
    response = persona.client.get(reverse(name, args=[page.base_id, page.pk, *more]), query)
    assert response.status_code == 200
    return str(response.content.decode())


def test_history_says_who_when_why_and_how_much(gate: WikiPage, victor: Persona) -> None:
    html = get(victor, gate, "wiki_history")
    assert "Summer hours" in html
    assert html.count('name="from"') == 2
    assert "Propose it" in html


def test_comparison_marks_words_and_has_links_to_changes(gate: WikiPage, victor: Persona) -> None:
    html = get(victor, gate, "wiki_compare", **{"from": "1", "to": "2"})
    assert "It opens at <del>nine</del>." in html
    assert "It opens at <ins>ten</ins>." in html
    assert 'id="h1" data-hunk' in html
    assert "no differences" in get(victor, gate, "wiki_compare", **{"from": "2", "to": "2"})


def test_comparison_as_read_marks_the_changed_blocks(gate: WikiPage, victor: Persona) -> None:
    html = get(victor, gate, "wiki_compare", **{"from": "1", "to": "2", "view": "read"})
    assert '<p class="is-changed">It opens at nine.</p>' in html
    assert '<p class="is-changed">It opens at ten.</p>' in html
    assert '<li class="is-changed">New item</li>' in html
    assert html.count('class="is-changed"') == 3


def test_rolling_back_makes_a_new_revision_of_the_old_text(gate: WikiPage, olivia: Persona) -> None:
    address = reverse("wiki_restore", args=[gate.base_id, gate.pk, 1])
    stale = olivia.client.post(address, {"version": "1"}, follow=True)
    assert "Look at it first" in stale.content.decode()
    olivia.client.post(address, {"version": "2", "reason": "Winter"})
    gate.refresh_from_db()
    assert (gate.version, gate.content) == (3, FIRST)
    assert "as revision 1" in get(olivia, gate, "wiki_history")


def test_nothing_of_the_history_shows_what_is_closed(
    base: KnowledgeBase, gate: WikiPage, olivia: Persona, victor: Persona
) -> None:
    document = make_document(base, texts=["The safe holds 9 bars."])
    place = Place(base_id=base.pk, document_id=document.pk)
    restrict(olivia.actor, place, user_ids=[], group_ids=[])
    chunk = Chunk.objects.get(document=document)
    safe = next(each for each in split_sentences(SECOND) if "bars" in each.text)
    store_sources(gate, {safe.hash: [chunk.pk]})
    page = victor.client.get(reverse("wiki_page", args=[base.pk, gate.slug])).content.decode()
    assert "1 sentence is not shown" in page
    compared = get(victor, gate, "wiki_compare", **{"from": "1", "to": "2", "all": "1"})
    raw = get(victor, gate, "wiki_revision", 1, view="raw")
    for html in (page, compared, raw, get(victor, gate, "wiki_blame")):
        assert "bars" not in html
    assert "9 bars" in get(olivia, gate, "wiki_blame")
    closed = victor.client.get(reverse("wiki_edit", args=[base.pk, gate.pk]))
    assert closed.status_code == 403
    assert "bars" not in closed.content.decode()
