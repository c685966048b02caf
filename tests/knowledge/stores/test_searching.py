"""Searches through outside stores: the same passages, and never one that may not be seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from celery import current_app
from django.core.cache import cache
from django.utils import timezone

from core.tenancy import space_scope
from knowledge.constants import StoreMoveState
from knowledge.models import Chunk, Document, KnowledgeBase, StoredVector, VectorStore
from knowledge.stores.moves import open_move, start_move
from tests.factories.knowledge import make_base
from tests.factories.stores import make_store
from tests.knowledge.search_models import WordModel, add_document
from tests.knowledge.stores.worlds import (
    MemoryStore,
    ask,
    embedded,
    ids_of,
    put_store_behind,
    work_off,
)
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
QUESTIONS = ("Where does the lamp burn?", "ropes", "a bell in fog", "who paints boats", "zebra")


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def harbour(base: KnowledgeBase, words: WordModel, olivia: Persona) -> KnowledgeBase:
    """Forty passages of three documents, found by words and by meaning."""
    KnowledgeBase.objects.filter(pk=base.pk).update(
        embedding_identity=words.identity, created_by=olivia.user
    )
    base.refresh_from_db()
    add_document(base, "The lamp burns at the pier.", "Ropes hang in the store.", model=words)
    add_document(base, "The bell rings in the fog.", "Boats are painted in May.", model=words)
    add_document(base, *(f"Lamp {n} burns beside bell {n % 7}." for n in range(36)), model=words)
    return base


def moved(base: KnowledgeBase, row: VectorStore, olivia: Persona) -> None:
    start_move(olivia.actor, base_id=base.pk, store_id=row.pk)
    work_off()
    move = open_move(base.pk)
    assert move is not None
    assert move.state == StoreMoveState.LIVE, move.reason
    assert move.counted == move.total == 40


@pytest.fixture
def memory(harbour: KnowledgeBase, olivia: Persona, monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    """The base is in a store of this process."""
    store = MemoryStore()
    row = make_store(olivia.space, name="Memory")
    put_store_behind(monkeypatch, row, lambda: store)
    moved(harbour, row, olivia)
    return store


@pytest.mark.parametrize("kind", ["qdrant", "milvus", "opensearch"])
def test_every_store_gives_the_passages_of_postgresql(
    harbour: KnowledgeBase,
    olivia: Persona,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    kind: str,
) -> None:
    before = [
        [(hit.chunk_id, hit.score) for hit in ask(olivia, q, harbour).hits] for q in QUESTIONS
    ]
    with embedded(monkeypatch, kind, tmp_path, olivia) as row:
        moved(harbour, row, olivia)
        monkeypatch.setattr("knowledge.retrieval.nearest.search_placed", None)  # not asked any more
        found = [ask(olivia, question, harbour) for question in QUESTIONS]
    assert [[(hit.chunk_id, hit.score) for hit in each.hits] for each in found] == before
    assert not any(each.warnings for each in found)


def test_hidden_deleted_foreign_and_made_up_ids_are_never_shown(
    harbour: KnowledgeBase,
    memory: MemoryStore,
    olivia: Persona,
    mallory: Persona,
    words: WordModel,
) -> None:
    disabled = Chunk.objects.get(text="Ropes hang in the store.")
    Chunk.objects.filter(pk=disabled.pk).update(is_enabled=False)
    trashed = Chunk.objects.get(text="The bell rings in the fog.")
    Document.objects.filter(pk=trashed.document_id).update(trashed_at=timezone.now())
    other = make_base(olivia.space, embedding_identity=words.identity)
    elsewhere = add_document(other, "Ropes in another base.", model=words).chunks.get()
    gone = add_document(harbour, "Ropes that are gone.", model=words)
    gone_id = gone.chunks.get().pk
    gone.delete()
    with space_scope(mallory.space.pk):
        theirs = make_base(mallory.space, embedding_identity=words.identity)
        foreign = add_document(theirs, "Ropes of another space.", model=words).chunks.get().pk
    forbidden = {disabled.pk, trashed.pk, elsewhere.pk, gone_id, foreign}
    memory.names = [*forbidden, *forbidden]
    for question in ("ropes", "a bell in fog"):
        found = ask(olivia, question, harbour)
        named = {each.chunk_id for each in found.trace.candidates}
        assert not forbidden & (named | set(ids_of(found)))
        assert found.hits


def test_more_is_asked_for_where_much_is_hidden(
    harbour: KnowledgeBase, memory: MemoryStore, olivia: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledge.retrieval.search.DENSE_CANDIDATES", 5)
    Chunk.objects.filter(text__startswith="Lamp").update(is_enabled=False)
    memory.names = list(Chunk.objects.filter(is_enabled=False).values_list("pk", flat=True))
    before = len(memory.asked)
    found = ask(olivia, "ropes", harbour)
    assert memory.asked[before:] == [15, 60, 240]
    assert len(found.hits) == 4


def test_a_store_that_is_down_is_told_and_costs_nothing_but_time(
    harbour: KnowledgeBase, memory: MemoryStore, olivia: Persona
) -> None:
    well = ids_of(ask(olivia, "Where does the lamp burn?", harbour))
    memory.fails = True
    asked = len(memory.asked)
    found = ask(olivia, "Where does the lamp burn?", harbour)
    again = ask(olivia, "Where does the lamp burn?", harbour)
    assert ids_of(found) == ids_of(again) == well
    assert any("“Memory” does not answer" in each for each in found.warnings)
    assert found.warnings == again.warnings
    memory.fails = False
    assert ask(olivia, "ropes", harbour).warnings == found.warnings  # left alone for a while
    assert len(memory.asked) == asked
    cache.clear()
    assert not ask(olivia, "ropes", harbour).warnings
    assert len(memory.asked) == asked + 1


def test_what_is_not_written_yet_is_found_all_the_same(
    harbour: KnowledgeBase, memory: MemoryStore, olivia: Persona, words: WordModel
) -> None:
    from knowledge.stores.soon import sync_soon

    new = add_document(harbour, "A zebra stands on the quay.", model=words)
    sync_soon(harbour.pk)
    chunk_id = new.chunks.get().pk
    assert chunk_id not in memory.all
    found = ask(olivia, "zebra", harbour)
    assert ids_of(found)[0] == chunk_id
    work_off()
    assert chunk_id in memory.all
    assert ids_of(ask(olivia, "zebra", harbour)) == ids_of(found)
    assert StoredVector.objects.filter(chunk_id=chunk_id).count() == 1


def test_bases_of_two_stores_are_searched_together(
    harbour: KnowledgeBase, memory: MemoryStore, olivia: Persona, words: WordModel
) -> None:
    from knowledge.retrieval.retrieve import retrieve
    from knowledge.retrieval.scope import Scope

    other = make_base(olivia.space, name="Shed", embedding_identity=words.identity)
    shed = add_document(other, "Ropes lie in the shed.", model=words).chunks.get().pk
    found = retrieve(olivia.actor, query="ropes", scope=Scope(base_ids=(harbour.pk, other.pk)))
    store = Chunk.objects.get(text="Ropes hang in the store.").pk
    assert {shed, store} <= set(ids_of(found))
