"""What is erased of persons and documents, and what a copy of the space holds."""

from __future__ import annotations

import pytest

from accounts.platform.erasure import Subject
from accounts.platform.export import rows_of, tables
from core.tenancy import unscoped
from knowledge.models import Chunk, Document, EvidenceRow, KnowledgeBase
from tests.factories.knowledge import make_document
from tests.factories.wiki import make_page
from tests.personas import Persona
from wiki.erasure import erase_document, erase_person
from wiki.models import WikiDraft, WikiPage, WikiRevision, WikiSentence, WikiWatch
from wiki.pages.sources import store_sources
from wiki.services.pages import edit_page
from wiki.text.sentences import sentence_hash

SECRET, SHARED, OWN = "The vault is open.", "The vault has a door.", "We like vaults."


@pytest.fixture
def secret(wiki: KnowledgeBase) -> Document:
    """A document that a page rests on."""
    return make_document(wiki, texts=["vault one", "vault two"], is_draft=True)


@pytest.fixture
def page(olivia: Persona, wiki: KnowledgeBase, secret: Document) -> WikiPage:
    """A page of three sentences: of the secret alone, of two documents, of nobody's; two revisions."""
    page = make_page(wiki, title="Vault", content=f"{SECRET} {SHARED}")
    other = make_document(wiki, texts=["vault three"])
    of_secret = list(Chunk.objects.filter(document=secret).values_list("pk", flat=True))
    of_other = list(Chunk.objects.filter(document=other).values_list("pk", flat=True))
    sources = {
        sentence_hash(SECRET): of_secret,
        sentence_hash(SHARED): [of_secret[0], *of_other],
    }
    store_sources(page, sources)
    edit_page(olivia.actor, page.pk, on_version=1, content=f"{SECRET} {SHARED} {OWN}")
    page.refresh_from_db()
    return page


def test_an_erased_document_takes_what_rested_on_it_alone(page: WikiPage, secret: Document) -> None:
    counts = erase_document(Subject(kind="document", id=str(secret.pk), space_id=secret.space_id))
    page.refresh_from_db()
    assert page.content == f"{SHARED} {OWN}"
    texts = dict(WikiRevision.objects.filter(page=page).values_list("number", "content"))
    assert texts == {1: "", 2: "", 3: page.content}
    assert not WikiSentence.objects.filter(text_hash=sentence_hash(SECRET)).exists()
    assert counts["wiki.WikiRevision (text)"] == 2


def test_a_page_of_nothing_else_is_gone_text_and_all(wiki: KnowledgeBase, secret: Document) -> None:
    page = make_page(wiki, content=SECRET)
    chunk = Chunk.objects.filter(document=secret).first()
    assert chunk is not None
    store_sources(page, {sentence_hash(SECRET): [chunk.pk]})
    erase_document(Subject(kind="document", id=str(secret.pk), space_id=secret.space_id))
    page.refresh_from_db()
    assert page.trashed_at is not None
    assert not WikiRevision.objects.filter(content__contains="vault").exists()


def test_a_person_takes_drafts_and_watches_and_leaves_pages(
    olivia: Persona, page: WikiPage
) -> None:
    own = {"space": olivia.space, "base": page.base, "page": page}
    WikiDraft.objects.create(**own, author=olivia.user)
    WikiWatch.objects.create(**own, user=olivia.user)
    with unscoped(reason="as the eraser does"):
        counts = erase_person(Subject(kind="person", id=str(olivia.user.pk)))
    assert (counts["wiki.WikiDraft"], counts["wiki.WikiWatch"]) == (1, 1)
    assert WikiPage.objects.filter(pk=page.pk).exists()


def test_a_copy_holds_no_sentence_of_a_closed_source(
    olivia: Persona, victor: Persona, page: WikiPage
) -> None:
    wanted = {"WikiPage", "WikiRevision"}
    for person, is_there in ((olivia, True), (victor, False)):
        for table in tables():
            if table.model.__name__ in wanted:
                said = " ".join(row["content"] for row in rows_of(table, person.actor))
                assert (SECRET in said, OWN in said) == (is_there, True)


def test_passages_go_with_the_page_that_copied_them(page: WikiPage) -> None:
    assert EvidenceRow.objects.filter(origin_id=page.pk).exists()
    page.delete()
    assert not EvidenceRow.objects.filter(origin_id=page.pk).exists()
