"""Shared bases in use: found, read and cited as a guest, for as long as the share lasts."""

from __future__ import annotations

from uuid import uuid4

import pytest

from accounts.constants import Role, SharePermission
from accounts.models import Organisation, Space
from core.errors import NotFound
from core.tenancy import space_scope
from knowledge.access.restrict import Place, restrict
from knowledge.evidence import Cited, read_evidence, store_evidence
from knowledge.models import BaseShare, Chunk, Document, EvidenceRow, KnowledgeBase
from knowledge.retrieval.scope import Scope
from knowledge.sharing.evidence import store_shared_evidence
from knowledge.sharing.parts import parts_of, shared_bases
from knowledge.sharing.reading import read_documents
from knowledge.sharing.search import grep_shared, retrieve_shared
from tests.accounts.organisations.worlds import make_organisation, share_base
from tests.factories.accounts import make_space
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona, make_persona

OURS = "The notice period for our consultants is two weeks."
THEIRS = "The notice period for consultants of the airfield is four weeks."
QUESTION = "What is the notice period for consultants?"


@pytest.fixture
def organisation(space_a: Space, space_b: Space) -> Organisation:
    return make_organisation(space_a, editors=(space_b,))


@pytest.fixture
def shared(space_a: Space, words: WordModel) -> KnowledgeBase:
    """A base of space A."""
    base = make_base(space_a, name="Airfield handbook")
    with space_scope(space_a.pk):
        add_document(base, THEIRS, name="theirs.txt")
    return base


@pytest.fixture
def own(mallory: Persona, words: WordModel) -> KnowledgeBase:
    """A base of mallory's."""
    base = make_base(mallory.space, name="Handbook")
    with mallory.scope():
        add_document(base, OURS, name="ours.txt")
    return base


def document_of(base: KnowledgeBase) -> Document:
    with space_scope(base.space_id):
        return Document.objects.select_related("base").get(base=base)


def chunk_of(base: KnowledgeBase) -> Chunk:
    with space_scope(base.space_id):
        return Chunk.objects.get(base_id=base.pk)


def found_in(persona: Persona, *bases: KnowledgeBase, **wish) -> list[str]:
    with persona.scope():
        scope = Scope(base_ids=tuple(base.pk for base in bases), **wish)
        retrieval = retrieve_shared(persona.actor, query=QUESTION, scope=scope)
    assert [hit.rank for hit in retrieval.hits] == list(range(1, len(retrieval.hits) + 1))
    assert sorted(retrieval.hits, key=lambda hit: -hit.score) == list(retrieval.hits)
    return [hit.document_name for hit in retrieval.hits]


def cite(persona: Persona, base: KnowledgeBase):
    """Store an answer's citation of the base's passage and return the answer's id."""
    origin, cited = uuid4(), [Cited(marker=1, chunk_id=chunk_of(base).pk)]
    with persona.scope():
        missing = store_evidence(persona.space.pk, origin, cited)
        assert missing == cited
        store_shared_evidence(persona.actor, origin_id=origin, cited=missing)
    return origin


def seen(persona: Persona, origin) -> list[tuple[str, str]]:
    with persona.scope():
        return [
            (each.source_state, each.text)
            for each in read_evidence(persona.actor, origin_id=origin)
        ]


def restrict_to_nobody(base: KnowledgeBase) -> None:
    owner = make_persona(base.space, name="Orla", role=Role.OWNER)
    with owner.scope():
        place = Place(base_id=base.pk, document_id=document_of(base).pk)
        restrict(owner.actor, place, user_ids=[], group_ids=[])


def test_bases_of_several_spaces_are_searched_as_one(
    mallory: Persona, own: KnowledgeBase, shared: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(shared, organisation)
    assert sorted(found_in(mallory, own, shared)) == ["ours.txt", "theirs.txt"]
    assert found_in(mallory, shared) == ["theirs.txt"]


def test_without_a_share_a_named_base_is_not_there(
    mallory: Persona, own: KnowledgeBase, shared: KnowledgeBase, organisation: Organisation
) -> None:
    with pytest.raises(NotFound):
        found_in(mallory, own, shared)
    assert found_in(mallory, own, shared, strict=False) == ["ours.txt"]


def test_a_search_over_everything_is_over_the_own_bases(
    mallory: Persona, own: KnowledgeBase, shared: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(shared, organisation)
    with mallory.scope():
        retrieval = retrieve_shared(mallory.actor, query=QUESTION, scope=Scope())
    assert [hit.document_name for hit in retrieval.hits] == ["ours.txt"]


def test_an_ended_share_finds_nothing_in_the_next_search(
    mallory: Persona, own: KnowledgeBase, shared: KnowledgeBase, organisation: Organisation
) -> None:
    share = share_base(shared, organisation)
    assert "theirs.txt" in found_in(mallory, own, shared)
    with space_scope(shared.space_id):
        share.delete()
    assert found_in(mallory, own, shared, strict=False) == ["ours.txt"]


def test_a_restricted_document_is_not_shared(
    mallory: Persona, shared: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(shared, organisation, permission=SharePermission.EDITOR)
    restrict_to_nobody(shared)
    assert found_in(mallory, shared) == []
    with mallory.scope():
        scope = Scope(base_ids=(shared.pk,))
        assert grep_shared(mallory.actor, pattern="airfield", scope=scope) == []
        assert read_documents(mallory.actor, [document_of(shared).pk]) == []


def test_named_documents_narrow_their_own_base_in_each_space(
    mallory: Persona, own: KnowledgeBase, shared: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(shared, organisation)
    ours, theirs = document_of(own).pk, document_of(shared).pk
    assert found_in(mallory, own, shared, document_ids=(theirs,)) == ["theirs.txt"]
    assert found_in(mallory, own, shared, document_ids=(ours,)) == ["ours.txt"]
    both = found_in(mallory, own, shared, document_ids=(ours,), whole_base_ids=(shared.pk,))
    assert sorted(both) == ["ours.txt", "theirs.txt"]
    with pytest.raises(NotFound):
        found_in(mallory, own, shared, document_ids=(uuid4(),))


def test_exact_words_are_found_in_several_spaces(
    mallory: Persona, own: KnowledgeBase, shared: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(shared, organisation)
    scope = Scope(base_ids=(own.pk, shared.pk))
    with mallory.scope():
        chunks = grep_shared(mallory.actor, pattern="(two|four) weeks", scope=scope)
        assert [chunk.text for chunk in chunks] == [OURS, THEIRS]
        assert len(grep_shared(mallory.actor, pattern="weeks", scope=scope, limit=1)) == 1


def test_documents_of_several_spaces_are_read_in_the_order_asked_for(
    mallory: Persona, own: KnowledgeBase, shared: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(shared, organisation)
    hidden = make_base(shared.space, name="Hidden")
    with space_scope(shared.space_id):
        closed = add_document(hidden, "closed", name="closed.txt")
    ids = [document_of(shared).pk, closed.pk, document_of(own).pk]
    with mallory.scope():
        found = read_documents(mallory.actor, ids)
        assert [each.name for each in found] == ["theirs.txt", "ours.txt"]
        assert shared_bases(mallory.actor, None) == [shared]


def test_what_is_not_shared_is_one_part(mallory: Persona, own: KnowledgeBase) -> None:
    scope = Scope(base_ids=(own.pk,))
    with mallory.scope():
        (part,) = parts_of(mallory.actor, scope)
    assert (part.reader, part.scope) == (mallory.actor, scope)


def test_evidence_of_a_shared_base_is_open_while_the_share_is(
    mallory: Persona, shared: KnowledgeBase, organisation: Organisation
) -> None:
    share = share_base(shared, organisation)
    origin = cite(mallory, shared)
    assert seen(mallory, origin) == [("unchanged", THEIRS)]
    with space_scope(shared.space_id):
        share.delete()
    assert seen(mallory, origin) == [("hidden", "")]


def test_evidence_of_a_document_that_becomes_restricted_is_closed(
    mallory: Persona, shared: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(shared, organisation)
    origin = cite(mallory, shared)
    restrict_to_nobody(shared)
    assert seen(mallory, origin) == [("hidden", "")]


def test_evidence_of_a_deleted_document_stays_as_open_as_its_base(
    mallory: Persona, shared: KnowledgeBase, organisation: Organisation
) -> None:
    share = share_base(shared, organisation)
    origin = cite(mallory, shared)
    with space_scope(shared.space_id):
        document_of(shared).delete()
    assert seen(mallory, origin) == [("deleted", THEIRS)]
    with space_scope(shared.space_id):
        share.delete()
    assert seen(mallory, origin) == [("hidden", "")]


def test_what_is_closed_when_the_answer_is_stored_is_not_kept(
    mallory: Persona, shared: KnowledgeBase, organisation: Organisation
) -> None:
    origin = cite(mallory, shared)
    with mallory.scope():
        assert not EvidenceRow.objects.filter(origin_id=origin).exists()


def test_a_third_space_reads_neither(
    mallory: Persona, shared: KnowledgeBase, organisation: Organisation
) -> None:
    share_base(shared, organisation)
    other = make_persona(make_space("Third"), name="Theo", role=Role.OWNER)
    with other.scope():
        assert shared_bases(other.actor, None) == []
        assert read_documents(other.actor, [document_of(shared).pk]) == []
        assert not BaseShare.objects.exists()
