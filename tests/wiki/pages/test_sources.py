"""What sentences rest on, and who gets them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounts.actors import system_actor
from knowledge.access.restrict import Place, restrict
from knowledge.models import Chunk, Document, EvidenceRow, KnowledgeBase
from tests.factories.knowledge import make_base, make_document
from tests.factories.wiki import make_wiki
from tests.personas import Persona
from wiki.constants import AuthorKind
from wiki.models import WikiPage, WikiSentence
from wiki.pages.sources import (
    freshness_of,
    hidden_page_ids,
    leave_document,
    sentences_of,
    store_sources,
    visible_content,
    visible_text,
)
from wiki.pages.writing import publish
from wiki.text.sentences import sentence_hash
from wiki.values import Author, Edit, PageText

pytestmark = pytest.mark.django_db
OPEN, CLOSED, BOTH = "The door is open.", "The safe holds 9 bars.", "The door leads to the safe."
CONTENT = f"{OPEN} {CLOSED}\n\n## Both\n\n- {BOTH}\n\nA person says so.\n"


@pytest.fixture
def base(olivia: Persona, cora: Persona) -> Iterator[KnowledgeBase]:
    with olivia.scope():
        base = make_base(olivia.space, created_by=olivia.user)
        make_wiki(base)
        yield base


@pytest.fixture
def documents(base: KnowledgeBase, olivia: Persona, cora: Persona) -> tuple[Document, Document]:
    """One for everybody and one that only cora and the admins may read."""
    found = make_document(base, texts=[OPEN]), make_document(base, texts=[CLOSED])
    restrict(
        olivia.actor,
        Place(base_id=base.pk, document_id=found[1].pk),
        user_ids=[cora.user.pk],
        group_ids=[],
    )
    return found


@pytest.fixture
def page(base: KnowledgeBase, documents: tuple[Document, Document]) -> WikiPage:
    first, second = (Chunk.objects.get(document=document).pk for document in documents)
    sources = {
        sentence_hash(OPEN): [first],
        sentence_hash(CLOSED): [second],
        sentence_hash(BOTH): [first, second],
    }
    edit = Edit(
        text=PageText(slug="entity/safe", title="Safe", content=CONTENT),
        author=Author(kind=AuthorKind.PIPELINE),
        sources=sources,
    )
    return publish(base, None, edit, expected_version=0).page


def test_a_sentence_is_only_for_who_may_read_all_of_its_sources(
    page: WikiPage, cora: Persona, victor: Persona
) -> None:
    assert visible_content(cora.actor, page) == CONTENT
    assert visible_content(victor.actor, page) == f"{OPEN}\n\n## Both\n\nA person says so.\n"
    assert visible_text(victor.actor, page, page.content).hidden == 2
    read = sentences_of(victor.actor, page)
    assert [len(each.sources) for each in read] == [1, 0]
    assert freshness_of(victor.actor, page).hidden == 2
    assert hidden_page_ids(victor.actor, [page]) == set()


def test_a_page_of_closed_sentences_only_is_hidden(
    base: KnowledgeBase, page: WikiPage, victor: Persona, cora: Persona
) -> None:
    WikiPage.objects.filter(pk=page.pk).update(content=f"# Safe\n\n{CLOSED}\n")
    page.refresh_from_db()
    assert hidden_page_ids(victor.actor, [page]) == {page.pk}
    assert hidden_page_ids(cora.actor, [page]) == set()


def test_a_passage_has_one_marker_however_often_it_is_cited(page: WikiPage) -> None:
    assert sorted(
        EvidenceRow.objects.filter(origin_id=page.pk).values_list("marker", flat=True)
    ) == [1, 2]
    row = WikiSentence.objects.get(text_hash=sentence_hash(BOTH))
    assert row.markers == [1, 2]
    first = Chunk.objects.get(text=OPEN)
    store_sources(page, {sentence_hash("New."): [first.pk]})
    assert EvidenceRow.objects.filter(origin_id=page.pk).count() == 2


def test_a_person_s_wording_of_a_closed_sentence_stays_closed(
    base: KnowledgeBase, page: WikiPage, victor: Persona
) -> None:
    content = CONTENT.replace(CLOSED, "The safe holds nine bars of gold.").replace(
        "A person says so.", "Somebody else entirely wrote this one."
    )
    text = PageText(slug=page.slug, title=page.title, content=content)
    edit = Edit(text=text, author=Author(kind=AuthorKind.USER))
    publish(base, page, edit, expected_version=1)
    page.refresh_from_db()
    seen = visible_content(victor.actor, page)
    assert "nine bars" not in seen
    assert "Somebody else" in seen


def test_a_page_knows_that_its_documents_moved_on(
    page: WikiPage, documents: tuple[Document, Document], olivia: Persona
) -> None:
    assert freshness_of(olivia.actor, page).changed == 0
    Chunk.objects.filter(document=documents[0]).update(text="Shut.", content_hash="x" * 64)
    told = freshness_of(olivia.actor, page)
    assert (told.sourced, told.changed, told.deleted) == (3, 2, 0)
    documents[1].delete()
    told = freshness_of(olivia.actor, page)
    assert (told.changed, told.deleted) == (2, 1)


def test_the_last_source_cannot_be_left(
    page: WikiPage, documents: tuple[Document, Document]
) -> None:
    hashes = [sentence_hash(text) for text in (OPEN, BOTH)]
    leave_document(page, hashes, documents[0].pk)
    rows = WikiSentence.objects.filter(page=page)
    assert rows.get(text_hash=sentence_hash(OPEN)).markers == [1]
    assert rows.get(text_hash=sentence_hash(BOTH)).markers == [2]


def test_the_platform_reads_everything(page: WikiPage) -> None:
    assert visible_content(system_actor(space_id=page.space_id), page) == CONTENT
