"""Stores hold what PostgreSQL holds: after writes, removals, failures, moves and their undo."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest
from celery import current_app
from django.core.cache import cache
from django.utils import timezone

from accounts.models import AuditEvent
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from core.models import BackgroundJob
from core.tenancy import space_scope
from knowledge.constants import StoreKind, StoreMoveState
from knowledge.models import (
    Chunk,
    Embedding,
    KnowledgeBase,
    StoredVector,
    StoreMove,
    VectorStore,
)
from knowledge.stores.erasing import drop_everything
from knowledge.stores.keeper import heal_stores
from knowledge.stores.ledger import lag_of
from knowledge.stores.moves import cancel_move, finish_move, open_move, start_move, undo_move
from knowledge.stores.services import create_store, delete_store, try_store, update_store
from knowledge.stores.values import StoreValues
from tests.factories.stores import make_store
from tests.knowledge.search_models import WordModel, add_document
from tests.knowledge.stores.worlds import MemoryStore, put_store_behind, work_off
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
VALUES = StoreValues(
    name="Far", kind=StoreKind.QDRANT, address="https://vectors.example.com:6333", api_key="s3cret"
)


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def shelf(base: KnowledgeBase, words: WordModel) -> KnowledgeBase:
    KnowledgeBase.objects.filter(pk=base.pk).update(embedding_identity=words.identity)
    add_document(base, "One lamp.", "Two ropes.", "Three bells.", model=words)
    return base


@pytest.fixture
def memory() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def row(olivia: Persona, memory: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> VectorStore:
    made = make_store(olivia.space, name="Memory")
    put_store_behind(monkeypatch, made, lambda: memory)
    return made


@pytest.fixture
def live(shelf: KnowledgeBase, row: VectorStore, olivia: Persona) -> KnowledgeBase:
    """The base is in the store; the move can be undone."""
    start_move(olivia.actor, base_id=shelf.pk, store_id=row.pk)
    work_off()
    shelf.refresh_from_db()
    assert shelf.vector_store_id == row.pk
    return shelf


def vectors_of(base: KnowledgeBase) -> set[UUID]:
    return set(Embedding.objects.filter(base=base).values_list("chunk_id", flat=True))


def test_a_move_fills_counts_and_cuts_over(
    live: KnowledgeBase, memory: MemoryStore, row: VectorStore
) -> None:
    move = StoreMove.objects.get(base=live)
    assert (move.state, move.done, move.total, move.counted) == (StoreMoveState.LIVE, 3, 3, 3)
    assert memory.all == vectors_of(live)
    assert lag_of(row.pk, live.pk).total == 0
    actions = list(
        AuditEvent.objects.filter(action__startswith="base.store").values_list("action", flat=True)
    )
    assert set(actions) == {"base.store_start", "base.store_cut_over"}


def test_an_undo_is_at_once_and_the_store_is_emptied(
    live: KnowledgeBase, memory: MemoryStore, olivia: Persona
) -> None:
    undo_move(olivia.actor, base_id=live.pk)
    live.refresh_from_db()
    assert live.vector_store_id is None
    work_off()
    assert memory.all == set()
    assert not StoredVector.objects.exists()
    assert len(vectors_of(live)) == 3


def test_a_move_that_loses_vectors_is_not_cut_over(
    shelf: KnowledgeBase,
    row: VectorStore,
    memory: MemoryStore,
    olivia: Persona,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "count", lambda *_, **__: 2)
    start_move(olivia.actor, base_id=shelf.pk, store_id=row.pk)
    work_off()
    move = open_move(shelf.pk)
    assert move is not None
    assert move.state == StoreMoveState.FILLING
    assert "counts 2 vectors where 3" in move.reason
    BackgroundJob.objects.update(run_after=timezone.now())
    work_off()
    move.refresh_from_db()
    assert move.state == StoreMoveState.FAILED
    shelf.refresh_from_db()
    assert shelf.vector_store_id is None


def test_a_move_to_a_store_that_is_down_waits_and_can_be_canceled(
    shelf: KnowledgeBase, row: VectorStore, memory: MemoryStore, olivia: Persona
) -> None:
    memory.fails = True
    start_move(olivia.actor, base_id=shelf.pk, store_id=row.pk)
    work_off()
    move = open_move(shelf.pk)
    assert move is not None
    assert "does not answer" in move.reason
    row.refresh_from_db()
    assert "does not answer" in row.problem
    cancel_move(olivia.actor, base_id=shelf.pk)
    assert open_move(shelf.pk) is None
    shelf.refresh_from_db()
    assert shelf.vector_store_id is None


def test_corrections_and_removals_reach_the_store(
    live: KnowledgeBase, memory: MemoryStore, words: WordModel, row: VectorStore
) -> None:
    lamp = Chunk.objects.get(text="One lamp.")
    Embedding.objects.filter(chunk=lamp).delete()
    Embedding.objects.create(
        space_id=live.space_id,
        base=live,
        chunk=lamp,
        identity=words.identity,
        dimensions=words.dimensions,
        vector=words._vector("One zebra."),
    )
    Chunk.objects.get(text="Two ropes.").delete()
    assert lag_of(row.pk, live.pk).total == 3
    assert heal_stores() == 1
    work_off()
    assert memory.all == vectors_of(live)
    assert lag_of(row.pk, live.pk).total == 0
    assert StoredVector.objects.count() == 2
    assert heal_stores() == 0


def test_a_newer_vector_of_a_passage_outlives_the_removal_of_its_older_one(
    live: KnowledgeBase, memory: MemoryStore, row: VectorStore
) -> None:
    old = StoredVector.objects.filter(base_id=live.pk).first()
    assert old is not None
    StoredVector.objects.create(
        space_id=live.space_id,
        store=row,
        base_id=live.pk,
        embedding_id=-1,
        chunk_id=old.chunk_id,
        identity=old.identity,
        dimensions=old.dimensions,
    )
    heal_stores()
    work_off()
    assert memory.all == vectors_of(live)
    assert StoredVector.objects.count() == 3


def test_a_base_that_is_gone_leaves_nothing_in_the_store(
    live: KnowledgeBase, memory: MemoryStore
) -> None:
    StoreMove.objects.all().delete()
    live.delete()
    assert len(memory.all) == 3
    assert heal_stores() == 1
    work_off()
    assert memory.all == set()
    assert not StoredVector.objects.exists()


def test_a_space_that_is_erased_takes_its_collections_along(
    live: KnowledgeBase, memory: MemoryStore
) -> None:
    assert drop_everything(live.space_id) == {"vectors in outside stores": 3}
    assert memory.all == set()
    memory.fails = True
    assert drop_everything(live.space_id) == {"vectors left in outside stores": 3}


def test_a_used_store_cannot_be_deleted(
    live: KnowledgeBase, row: VectorStore, olivia: Persona, memory: MemoryStore
) -> None:
    with pytest.raises(Conflict, match="use it"):
        delete_store(olivia.actor, store_id=row.pk)
    start_move(undone(olivia, live).actor, base_id=live.pk, store_id=row.pk)
    with pytest.raises(Conflict, match="move from or to it"):
        delete_store(olivia.actor, store_id=row.pk)
    cancel_move(olivia.actor, base_id=live.pk)
    memory.fails = True
    with pytest.raises(Conflict, match="does not answer"):
        delete_store(olivia.actor, store_id=row.pk)
    assert VectorStore.objects.filter(pk=row.pk).exists()
    delete_store(olivia.actor, store_id=row.pk, leave_vectors=True)
    assert not VectorStore.objects.filter(pk=row.pk).exists()


def undone(olivia: Persona, base: KnowledgeBase) -> Persona:
    undo_move(olivia.actor, base_id=base.pk)
    return olivia


def test_a_finished_move_empties_the_store_before(
    live: KnowledgeBase, memory: MemoryStore, olivia: Persona
) -> None:
    finish_move(olivia.actor, base_id=live.pk)
    start_move(olivia.actor, base_id=live.pk, store_id=None)  # back to PostgreSQL: at once
    live.refresh_from_db()
    assert live.vector_store_id is None
    assert len(memory.all) == 3
    finish_move(olivia.actor, base_id=live.pk)
    work_off()
    assert memory.all == set()


def test_only_those_who_may_change_the_base_move_it(
    shelf: KnowledgeBase, row: VectorStore, victor: Persona, olivia: Persona, mallory: Persona
) -> None:
    with pytest.raises(AccessDenied):
        start_move(victor.actor, base_id=shelf.pk, store_id=row.pk)
    with space_scope(mallory.space.pk):
        theirs = make_store(mallory.space)
    with pytest.raises(NotFound):
        start_move(olivia.actor, base_id=shelf.pk, store_id=theirs.pk)
    with pytest.raises(Invalid):
        start_move(olivia.actor, base_id=shelf.pk, store_id=None)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch, memory: MemoryStore) -> list[str]:
    """Every store answers; the keys that it was asked with."""
    keys: list[str] = []

    def make(row: VectorStore) -> MemoryStore:
        keys.append(row.api_key)
        return memory

    monkeypatch.setattr("knowledge.stores.services.make_store", make)
    return keys


def test_a_store_is_saved_only_when_it_answers(
    olivia: Persona, answers: list[str], memory: MemoryStore
) -> None:
    with olivia.scope():
        memory.fails = True
        with pytest.raises(Exception, match="does not answer"):
            create_store(olivia.actor, values=VALUES)
        assert not VectorStore.objects.exists()
        memory.fails = False
        made = create_store(olivia.actor, values=VALUES)
        assert made.server == "Memory 1"
        assert VectorStore.objects.get().api_key == "s3cret"
        with pytest.raises(Conflict, match="already"):
            create_store(olivia.actor, values=VALUES)
        assert try_store(olivia.actor, values=VALUES).ok


def test_a_stored_key_goes_only_where_it_was_entered_for(
    olivia: Persona, answers: list[str]
) -> None:
    with olivia.scope():
        made = create_store(olivia.actor, values=VALUES)
        same = replace(VALUES, api_key=None, name="Farther")
        update_store(olivia.actor, store_id=made.pk, values=same)
        elsewhere = replace(same, address="https://evil.example.com:6333")
        with pytest.raises(Invalid, match="Enter the key again"):
            update_store(olivia.actor, store_id=made.pk, values=elsewhere)
        try_store(olivia.actor, values=elsewhere, store_id=made.pk)
        assert answers == ["s3cret", "s3cret", ""]
        assert VectorStore.objects.get().name == "Farther"


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:6333",
        "http://169.254.169.254",
        "http://10.1.2.3:6333",
        "http://[::1]:6333",
        "http://0x7f.1:6333",
        "https://vectors.example.com:9200",
        "file:///etc/passwd",
        ":memory:",
        "/tmp/folder",
        "https://user:pass@vectors.example.com",
    ],
)
def test_inner_addresses_and_files_are_no_stores(
    olivia: Persona, answers: list[str], address: str
) -> None:
    with olivia.scope():
        with pytest.raises(Invalid):
            create_store(olivia.actor, values=replace(VALUES, address=address))
        assert not answers


def test_an_address_of_the_operator_is_open_at_its_port_alone(
    olivia: Persona, answers: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.dialling._trusted", {("127.0.0.1", 9200)})
    with olivia.scope():
        create_store(olivia.actor, values=replace(VALUES, address="http://127.0.0.1:9200"))
        with pytest.raises(Invalid):
            create_store(olivia.actor, values=replace(VALUES, address="http://127.0.0.1:6379"))


def test_members_below_admins_add_no_stores(victor: Persona, answers: list[str]) -> None:
    with victor.scope(), pytest.raises(AccessDenied):
        create_store(victor.actor, values=VALUES)
