from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.errors import AccessDenied, Invalid
from core.jobs.work import work
from knowledge.access.restrict import Place, restrict
from knowledge.constants import DocumentState
from knowledge.ingest import pipeline
from knowledge.models import Chunk, Document, KeywordRow, KnowledgeBase, Restriction
from knowledge.organising.bulk import Selection
from knowledge.organising.carry import copy_to_base, move_to_base
from knowledge.organising.tags import create_tag, set_document_tags
from knowledge.services.documents import add_document
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


class CountingModel(WordModel):
    """Counts the texts that it embeds."""

    count = 0

    def embed(self, texts, *, kind):
        self.count += len(texts)
        return super().embed(texts, kind=kind)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> CountingModel:
    model = CountingModel()
    monkeypatch.setattr(pipeline, "get_embedding_model", lambda *_, **__: model)
    return model


@pytest.fixture
def bases(cora: Persona) -> Iterator[tuple[KnowledgeBase, KnowledgeBase]]:
    with cora.scope():
        yield (
            make_base(cora.space, name="Old", created_by=cora.user),
            make_base(cora.space, name="New", created_by=cora.user),
        )


@pytest.fixture
def document(cora: Persona, bases: tuple[KnowledgeBase, ...], model: CountingModel) -> Document:
    content = b"The lamp at the pier burns all night."
    made = add_document(
        cora.actor, base_id=bases[0].pk, name="a.txt", content=content, folder_path="Law"
    )
    assert work("ingest")
    made.refresh_from_db()
    assert made.state == DocumentState.COMPLETED
    model.count = 0
    return made


def one(document: Document) -> Selection:
    return Selection(base_id=document.base_id, document_ids=(document.pk,))


def test_moved_document_is_found_there_with_its_vectors(
    cora: Persona, bases: tuple[KnowledgeBase, ...], document: Document, model: CountingModel
) -> None:
    tag = create_tag(cora.actor, base_id=bases[0].pk, name="Red", color="bad")
    set_document_tags(cora.actor, document_id=document.pk, tag_ids=[tag.pk])
    result = move_to_base(cora.actor, one(document), target_id=bases[1].pk)
    assert result.done == (document.pk,)
    document.refresh_from_db()
    assert (document.base_id, document.folder_path) == (bases[1].pk, "Law")
    assert document.searchable_at is not None
    assert {row.base_id for row in Chunk.objects.all()} == {bases[1].pk}
    assert {row.base_id for row in KeywordRow.objects.all()} == {bases[1].pk}
    assert [row.tag.name for row in document.tag_rows.all()] == ["Red"]
    assert not work("ingest")
    assert model.count == 0


def test_copy_is_read_without_a_call_of_the_model(
    cora: Persona, bases: tuple[KnowledgeBase, ...], document: Document, model: CountingModel
) -> None:
    (copy_id,) = copy_to_base(cora.actor, one(document), target_id=bases[1].pk).done
    assert work("ingest")
    made = Document.objects.get(pk=copy_id)
    assert (made.state, made.base_id) == (DocumentState.COMPLETED, bases[1].pk)
    assert made.chunks.count() == 1
    assert model.count == 0
    assert document.chunks.count() == 1


def test_other_model_embeds_anew(
    cora: Persona, bases: tuple[KnowledgeBase, ...], document: Document, model: CountingModel
) -> None:
    KnowledgeBase.objects.filter(pk=bases[1].pk).update(embedding_identity="another")
    move_to_base(cora.actor, one(document), target_id=bases[1].pk)
    document.refresh_from_db()
    assert document.searchable_at is None
    assert work("ingest")
    assert model.count == 1


def test_restriction_of_the_document_goes_along_and_that_of_a_folder_holds_it(
    cora: Persona, bases: tuple[KnowledgeBase, ...], document: Document
) -> None:
    own = Place(base_id=bases[0].pk, document_id=document.pk)
    restrict(cora.actor, own, user_ids=[], group_ids=[])
    move_to_base(cora.actor, one(document), target_id=bases[1].pk)
    assert Restriction.objects.get().base_id == bases[1].pk
    assert document.walls.count() == 1
    document.refresh_from_db()
    folder = Place(base_id=bases[1].pk, folder_path="Law")
    restrict(cora.actor, folder, user_ids=[], group_ids=[])
    (left,) = move_to_base(cora.actor, one(document), target_id=bases[0].pk).refused
    assert "restricted" in left.reason


def test_only_editors_of_both_bases_carry(
    cora: Persona, victor: Persona, bases: tuple[KnowledgeBase, ...], document: Document
) -> None:
    with pytest.raises(AccessDenied):
        move_to_base(victor.actor, one(document), target_id=bases[1].pk)
    with pytest.raises(Invalid):
        move_to_base(cora.actor, one(document), target_id=bases[0].pk)
