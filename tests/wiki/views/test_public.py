"""A wiki that is published: who reads what without a name, and that off is off."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import AuditEvent
from core.errors import AccessDenied
from knowledge.models import KnowledgeBase
from tests.factories.wiki import make_page, propose
from tests.personas import Persona
from wiki.models import WikiPage, WikiRedirect, WikiSettings
from wiki.services.pictures import picture_folder
from wiki.services.publishing import publish_wiki, unpublish_wiki

HASH = "a" * 64


def text_at(address: str, status: int = 200) -> str:
    response = Client().get(address)
    assert response.status_code == status, address
    return response.content.decode()


def published(base: KnowledgeBase, olivia: Persona, **more: bool) -> None:
    publish_wiki(olivia.actor, base_id=base.pk, name="Harbour", **more)


def test_strangers_read_published_pages_only_and_nobodys_name(
    harbour: WikiPage, base: KnowledgeBase, olivia: Persona
) -> None:
    address = reverse("public_wiki_page", args=["harbour", harbour.slug])
    text_at(address, 404)
    published(base, olivia)
    make_page(base, slug="concept/plan", title="Secret plan", content="x", status="draft")
    make_page(base, slug="concept/tides", title="Old tides", content="x", status="archived")
    propose(olivia.actor, harbour, content="Proposed words")
    front, page = text_at(reverse("public_wiki", args=["harbour"])), text_at(address)
    for text in (front, page):
        assert "Crane" in text
        for hidden in ("Secret plan", "Old tides", "Proposed words", str(olivia.user)):
            assert hidden not in text
    assert f'href="{reverse("public_wiki_page", args=["harbour", "entity/crane"])}"' in page
    assert "concept/tides" not in page.partition("<article")[2]  # archived: words, no link
    assert f"/wiki/{base.pk}/" not in page
    text_at(reverse("public_wiki_page", args=["harbour", "concept/plan"]), 404)
    text_at(reverse("public_wiki_page", args=["harbour", "concept/tides"]), 404)
    found = text_at(reverse("public_wiki", args=["harbour"]) + "?q=lifts")
    assert "No title says" in found


def test_off_is_off_at_once_and_written_down(
    harbour: WikiPage, base: KnowledgeBase, olivia: Persona, victor: Persona
) -> None:
    with pytest.raises(AccessDenied):
        publish_wiki(victor.actor, base_id=base.pk, name="harbour")
    published(base, olivia)
    address = reverse("public_wiki_page", args=["harbour", harbour.slug])
    first = Client().get(address)
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert first.headers["X-Robots-Tag"] == "noindex, nofollow"
    again = Client().get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    unpublish_wiki(olivia.actor, base_id=base.pk)
    gone = Client().get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert gone.status_code == 404
    published(base, olivia, is_indexed=True)
    assert "X-Robots-Tag" not in Client().get(address).headers
    WikiSettings.objects.filter(base=base).update(is_enabled=False)
    text_at(address, 404)
    actions = AuditEvent.objects.filter(action__in=("wiki.public_on", "wiki.public_off"))
    assert actions.count() == 3


def test_old_address_leads_on_and_pictures_come_with_their_page(
    base: KnowledgeBase, olivia: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = reverse("wiki_picture", args=[base.pk, HASH])
    page = make_page(base, slug="entity/crane", content=f"![The crane]({source}) ![x](/document/1)")
    WikiRedirect.objects.create(space_id=base.space_id, base=base, slug="entity/old", page=page)
    published(base, olivia)
    moved = Client().get(reverse("public_wiki_page", args=["harbour", "entity/old"]))
    assert moved.headers["Location"] == reverse(
        "public_wiki_page", args=["harbour", "entity/crane"]
    )
    text = text_at(reverse("public_wiki_page", args=["harbour", page.slug]))
    address = reverse("public_wiki_picture", args=["harbour", HASH])
    assert f'<img src="{address}"' in text
    assert "/document/1" not in text
    folders: list[str] = []

    def opened(_space: int, _hash: str, *, folder: str) -> object:
        folders.append(folder)
        raise FileNotFoundError

    monkeypatch.setattr("wiki.published.open_file", opened)
    text_at(address, 404)
    assert folders == [picture_folder(base.pk)]
    WikiPage.objects.filter(pk=page.pk).update(status="draft")
    text_at(address, 404)
    assert len(folders) == 1  # no published page shows it: not even looked for


def test_settings_say_what_everybody_sees_and_too_many_requests_are_refused(
    harbour: WikiPage, base: KnowledgeBase, olivia: Persona, settings: Settings
) -> None:
    door = reverse("wiki_publish", args=[base.pk])
    olivia.client.post(door, {"public_name": "no name!"})
    assert not WikiSettings.objects.get(base=base).is_public
    olivia.client.post(door, {"public_name": "harbour", "public_titles": "on"})
    shown = olivia.client.get(reverse("wiki_settings", args=[base.pk])).content.decode()
    assert reverse("public_wiki", args=["harbour"]) in shown
    settings.PUBLIC_WIKI_PER_MINUTE = 1
    text_at(reverse("public_wiki", args=["harbour"]))
    text_at(reverse("public_wiki", args=["harbour"]), 429)
    olivia.client.post(door, {"action": "off"})
    assert not WikiSettings.objects.get(base=base).is_public
