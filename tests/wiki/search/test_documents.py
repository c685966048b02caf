"""Published pages are found like documents, by who may read all that they rest on, and only once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from celery import current_app
from django.urls import reverse
from pytest_django import Settings

from accounts.access import Actor
from core.jobs.work import work
from knowledge.access.restrict import Place, lift, restrict
from knowledge.constants import DocumentSource
from knowledge.models import Chunk, Document, KnowledgeBase
from knowledge.queries import list_documents
from knowledge.retrieval.grep import grep
from knowledge.retrieval.scope import Scope
from knowledge.services.documents import delete_document
from tests.factories.knowledge import make_base, make_document
from tests.factories.wiki import make_page, make_wiki
from tests.knowledge.search_models import WordModel
from tests.personas import Persona
from wiki.changes.requests import text_of_page
from wiki.constants import AuthorKind, PageStatus
from wiki.models import WikiPage
from wiki.pages.writing import publish, remove_page
from wiki.text.sentences import sentence_hash
from wiki.values import Author, Edit

SECRET = "The winch breaks at 9 kN."


@pytest.fixture
def base(
    transactional_db: None,
    olivia: Persona,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
    tmp_path: Path,
) -> Iterator[KnowledgeBase]:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    model = WordModel()
    monkeypatch.setattr("knowledge.ingest.pipeline.get_embedding_model", lambda *_, **__: model)
    with olivia.scope():
        made = make_base(olivia.space, name="Airfield", created_by=olivia.user)
        make_wiki(made)
        yield made


def carry_out() -> None:
    while any([work("default"), work("ingest"), work("enrich")]):
        pass


def found(actor: Actor, base: KnowledgeBase, pattern: str) -> list[str]:
    rows = grep(actor, pattern=pattern, scope=Scope(base_ids=(base.pk,)))
    return [row.document.name for row in rows if row.document.searchable_at]


def rewrite(page: WikiPage, content: str, **fields: object) -> None:
    page.refresh_from_db()
    text = replace(text_of_page(page), content=content, **fields)  # type: ignore[arg-type]  # test shorthand
    edit = Edit(text=text, author=Author(kind=AuthorKind.USER))
    publish(page.base, page, edit, expected_version=page.version)
    carry_out()


def test_a_page_is_found_as_it_is_now_until_it_is_archived_or_deleted(
    base: KnowledgeBase, olivia: Persona
) -> None:
    make_page(base, slug="concept/cable", title="Cable", content="Steel.")
    page = make_page(
        base, slug="concept/winch", title="Winch", content="The [[concept/cable]] pulls gliders."
    )
    carry_out()
    assert found(olivia.actor, base, "the cable pulls") == ["Winch"]
    document = Document.objects.get(name="Winch")
    assert list(list_documents(olivia.actor, base.pk)) == []
    answer = olivia.client.get(reverse("document", args=[document.pk]))
    assert answer["Location"] == reverse("wiki_page", args=[base.pk, "concept/winch"])
    rewrite(page, "It pulls planes.")
    assert found(olivia.actor, base, "gliders") == []
    assert found(olivia.actor, base, "planes") == ["Winch"]
    assert Document.objects.filter(source=DocumentSource.WIKI).count() == 2
    rewrite(page, "It pulls planes.", status=PageStatus.ARCHIVED)
    assert found(olivia.actor, base, "planes") == []
    rewrite(page, "It pulls planes.", status=PageStatus.PUBLISHED)
    assert found(olivia.actor, base, "planes") == ["Winch"]
    page.refresh_from_db()
    remove_page(page, expected_version=page.version, author=Author(kind=AuthorKind.USER))
    carry_out()
    assert found(olivia.actor, base, "planes") == []


def test_a_page_is_behind_the_walls_of_what_its_present_text_rests_on(
    base: KnowledgeBase, olivia: Persona, victor: Persona
) -> None:
    document = make_document(base, name="secret.txt", texts=["Winch: 9 kN."])
    chunk = Chunk.objects.get(document=document)
    page = make_page(base, slug="concept/winch", title="Winch", content="The winch pulls.")
    text = replace(text_of_page(page), content=f"The winch pulls. {SECRET}")
    edit = Edit(
        text=text,
        author=Author(kind=AuthorKind.USER),
        sources={sentence_hash(SECRET): [chunk.pk]},
    )
    publish(base, page, edit, expected_version=1)
    carry_out()
    assert found(victor.actor, base, "breaks at") == ["Winch"]
    place = Place(base_id=base.pk, document_id=document.pk)
    restrict(olivia.actor, place, user_ids=[], group_ids=[])
    assert found(victor.actor, base, "winch") == []
    assert found(olivia.actor, base, "breaks at") == ["Winch"]
    lift(olivia.actor, place)
    assert found(victor.actor, base, "breaks at") == ["Winch"]
    restrict(olivia.actor, place, user_ids=[], group_ids=[])
    rewrite(page, "The winch pulls.")
    assert found(victor.actor, base, "pulls") == ["Winch"]
    rewrite(page, f"The winch pulls. {SECRET}")
    assert found(victor.actor, base, "pulls") == []
    delete_document(olivia.actor, document_id=document.pk)
    carry_out()
    assert found(victor.actor, base, "pulls") == []
    rewrite(page, "Nothing of it remains.")
    assert found(victor.actor, base, "remains") == ["Winch"]
