"""Without a language model: pages of quotes with their sources, linked by titles, and said so."""

from __future__ import annotations

import pytest
from django.urls import reverse

from knowledge.constants import DocumentState
from knowledge.models import Document, KnowledgeBase
from knowledge.services.removal import remove_document
from tests.personas import Persona
from tests.wiki.build.conftest import work_off
from tests.wiki.build.recorded import add, change
from wiki.build.queue import put_operation
from wiki.constants import OperationKind, PageKind
from wiki.models import WikiPage
from wiki.pages.sources import sentences_of
from wiki.services.building import start_build

pytestmark = pytest.mark.django_db(transaction=True)


def test_documents_become_quotes_with_sources(base: KnowledgeBase, olivia: Persona) -> None:
    lamp = add(base, "Pier Lamp.md", "The Pier Lamp burns 900 litres of oil.\n\nIts keeper is Ada.")
    add(base, "Harbour book.md", "The harbour book names the Pier Lamp first.")
    url = reverse("wiki_building", args=[base.pk])
    assert "quotes the beginning" in olivia.client.get(url).content.decode()
    olivia.client.post(url, {"action": "start"})
    work_off()
    pages = {page.title: page for page in WikiPage.objects.filter(kind=PageKind.SUMMARY)}
    assert set(pages) == {"Pier Lamp", "Harbour book"}
    read = sentences_of(olivia.actor, pages["Pier Lamp"])
    assert [len(each.sources) for each in read] == [1, 1]
    assert f"[[summary/{lamp.pk}|Pier Lamp]]" in pages["Harbour book"].content
    assert pages["Pier Lamp"].summarises_id == lamp.pk
    shown = olivia.client.get(url).content.decode()
    assert "Every document is built in" in shown

    change(lamp, "The Pier Lamp burns 950 litres of oil.\n\nIts keeper is Ada.")
    put_operation(base, lamp.pk, OperationKind.INGEST)
    work_off()
    pages["Pier Lamp"].refresh_from_db()
    assert "900" not in pages["Pier Lamp"].content
    assert "950" in pages["Pier Lamp"].content
    assert pages["Pier Lamp"].content.count("Its keeper is Ada.") == 1

    Document.objects.filter(pk=lamp.pk).update(state=DocumentState.DELETING)
    remove_document(lamp.pk)
    work_off()
    pages["Pier Lamp"].refresh_from_db()
    assert pages["Pier Lamp"].trashed_at is not None
    pages["Harbour book"].refresh_from_db()
    assert pages["Harbour book"].content == "The harbour book names the Pier Lamp first.\n"


def test_only_who_edits_the_base_builds(
    base: KnowledgeBase, victor: Persona, mallory: Persona
) -> None:
    url = reverse("wiki_building", args=[base.pk])
    assert victor.client.get(url).status_code == 403
    assert victor.client.post(url, {"action": "start"}).status_code == 403
    assert mallory.client.post(url, {"action": "start"}).status_code == 404


def test_a_document_that_is_read_anew_keeps_its_facts(base: KnowledgeBase, olivia: Persona) -> None:
    lamp = add(base, "Pier Lamp.md", "The Pier Lamp burns 900 litres of oil.")
    start_build(olivia.actor, base_id=base.pk)
    work_off()
    before = WikiPage.objects.get(kind=PageKind.SUMMARY).content
    Document.objects.filter(pk=lamp.pk).update(state=DocumentState.PROCESSING)
    put_operation(base, lamp.pk, OperationKind.INGEST)
    work_off()
    assert WikiPage.objects.get(kind=PageKind.SUMMARY).content == before
