"""Restrictions flow to whatever is read of a document: search, patterns, figures, evidence."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.urls import reverse
from pytest_django import Settings

from accounts.access import Actor
from core.errors import NotFound
from knowledge.access.restrict import Place, lift, restrict
from knowledge.evidence import Cited, read_evidence, store_evidence
from knowledge.models import Chunk, Document, KnowledgeBase
from knowledge.queries import base_counts, get_chunk, get_chunks, list_bases, list_documents
from knowledge.retrieval.grep import grep
from knowledge.retrieval.keyword import weigh_terms
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope, resolve
from knowledge.services.documents import delete_document
from knowledge.services.removal import remove_document
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona

SECRET = "zanzibar"


@pytest.fixture
def secret(base: KnowledgeBase, words: WordModel, olivia: Persona) -> Document:
    """A restricted document beside an open one, both indexed, in the open scope of space A."""
    add_document(base, "The weather is fine.", name="open.txt")
    document = add_document(base, f"The password is {SECRET}.", name="secret.txt")
    restrict(
        olivia.actor,
        Place(base_id=base.pk, document_id=document.pk),
        user_ids=[],
        group_ids=[],
    )
    return document


def found_by(actor: Actor, base: KnowledgeBase) -> set[str]:
    hits = retrieve(
        actor, query=f"password {SECRET} weather", scope=Scope(base_ids=(base.pk,))
    ).hits
    return {hit.document_name for hit in hits}


def test_search_finds_only_what_may_be_read(
    secret: Document, base: KnowledgeBase, olivia: Persona, victor: Persona
) -> None:
    assert found_by(olivia.actor, base) == {"open.txt", "secret.txt"}
    assert found_by(victor.actor, base) == {"open.txt"}


def test_a_change_holds_for_the_next_search(
    secret: Document, base: KnowledgeBase, olivia: Persona, victor: Persona
) -> None:
    lift(olivia.actor, Place(base_id=base.pk, document_id=secret.pk))
    assert found_by(victor.actor, base) == {"open.txt", "secret.txt"}


def test_patterns_match_only_what_may_be_read(
    secret: Document, base: KnowledgeBase, olivia: Persona, victor: Persona
) -> None:
    scope = Scope(base_ids=(base.pk,))
    assert len(grep(olivia.actor, pattern=SECRET, scope=scope)) == 1
    assert grep(victor.actor, pattern=SECRET, scope=scope) == []


def test_frequencies_of_terms_do_not_tell_of_what_is_hidden(
    secret: Document, base: KnowledgeBase, olivia: Persona, victor: Persona
) -> None:
    scope = Scope(base_ids=(base.pk,))
    theirs = weigh_terms(f"{SECRET} weather", resolve(victor.actor, scope))
    assert {each.term: each.chunk_count for each in theirs.terms} == {SECRET: 0, "weather": 1}
    assert theirs.passages == 1
    own = weigh_terms(f"{SECRET} weather", resolve(olivia.actor, scope))
    assert (own.passages, own.terms[0].chunk_count) == (2, 1)


def test_naming_the_document_gives_nothing_away(
    secret: Document, base: KnowledgeBase, victor: Persona
) -> None:
    with pytest.raises(NotFound):
        resolve(victor.actor, Scope(base_ids=(base.pk,), document_ids=(secret.pk,)))
    chunk = Chunk.objects.get(document=secret)
    assert get_chunks(victor.actor, [chunk.pk]) == []
    with pytest.raises(NotFound):
        get_chunk(victor.actor, chunk.pk)


def test_lists_and_figures_count_what_is_seen(
    secret: Document, base: KnowledgeBase, olivia: Persona, victor: Persona
) -> None:
    people = (olivia, victor)
    totals = [vars(list_bases(who.actor).get())["document_total"] for who in people]
    assert totals == [2, 1]
    assert base_counts(victor.actor, base.pk).documents == 1
    assert [row.name for row in list_documents(victor.actor, base.pk)] == ["open.txt"]


def test_evidence_is_asked_about_again_also_when_its_document_is_gone(
    secret: Document,
    olivia: Persona,
    victor: Persona,
    settings: Settings,
    tmp_path: object,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    origin, chunk = uuid4(), Chunk.objects.get(document=secret)
    store_evidence(secret.space_id, origin, [Cited(marker=1, chunk_id=chunk.pk)])
    assert read_evidence(victor.actor, origin_id=origin)[0].source_state == "hidden"
    delete_document(olivia.actor, document_id=secret.pk)
    remove_document(secret.pk)
    (theirs,) = read_evidence(victor.actor, origin_id=origin)
    assert (theirs.source_state, theirs.text, theirs.document_name) == ("hidden", "", "")
    (own,) = read_evidence(olivia.actor, origin_id=origin)
    assert (own.source_state, own.text) == ("deleted", chunk.text)


@pytest.mark.parametrize("name", ["document", "document_file"])
def test_pages_of_the_document_are_not_there(
    secret: Document, olivia: Persona, victor: Persona, name: str
) -> None:
    assert victor.client.get(reverse(name, args=[secret.pk])).status_code == 404
    if name == "document":
        assert SECRET in olivia.client.get(reverse(name, args=[secret.pk])).content.decode()
