"""A base with words for vectors, and a store of a kind for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import pytest

from core.jobs.work import work
from knowledge.constants import StoreKind
from knowledge.models import KnowledgeBase, VectorStore
from knowledge.retrieval.hits import Retrieval
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.stores import registry
from knowledge.stores.contract import Collection, Near, Point, Store, StoreFailed, StoreProbe
from tests.factories.stores import make_store
from tests.knowledge.stores.conftest import end_server, opener
from tests.personas import Persona


class MemoryStore:
    """A store of this process that may fail, lie and forget."""

    def __init__(self) -> None:
        self.points: dict[str, dict[UUID, Point]] = {}
        self.fails = False
        self.names: Sequence[UUID] = ()
        """What it names first, whatever was asked."""
        self.asked: list[int] = []

    def probe(self) -> StoreProbe:
        self._check()
        return StoreProbe(server="Memory 1")

    def ensure(self, collection: Collection) -> None:
        self._check()
        self.points.setdefault(collection.name, {})

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        self._check()
        self.points[collection.name] |= {point.chunk_id: point for point in points}

    def delete(
        self,
        collection: Collection,
        *,
        base_id: UUID,
        chunk_ids: Sequence[UUID] | None = None,
        document_id: UUID | None = None,
    ) -> None:
        self._check()
        known = self.points.get(collection.name, {})
        for point in list(known.values()):
            here = point.base_id == base_id and document_id in (None, point.document_id)
            if here and (chunk_ids is None or point.chunk_id in chunk_ids):
                del known[point.chunk_id]

    def search(
        self,
        collection: Collection,
        vector: object,
        *,
        limit: int,
        base_ids: Sequence[UUID],
        document_ids: Sequence[UUID] | None = None,
    ) -> list[Near]:
        self._check()
        self.asked.append(limit)
        own = [
            point.chunk_id
            for point in self.points.get(collection.name, {}).values()
            if point.base_id in base_ids
            and (document_ids is None or point.document_id in document_ids)
        ]
        return [Near(chunk_id=each, score=1.0) for each in [*self.names, *own][:limit]]

    def count(self, collection: Collection, *, base_id: UUID | None = None) -> int:
        self._check()
        known = self.points.get(collection.name, {}).values()
        return sum(1 for point in known if base_id in (None, point.base_id))

    def drop(self, collection: Collection) -> None:
        self._check()
        self.points.pop(collection.name, None)

    def close(self) -> None:
        pass

    @property
    def all(self) -> set[UUID]:
        return {chunk_id for points in self.points.values() for chunk_id in points}

    def _check(self) -> None:
        if self.fails:
            raise StoreFailed("The store does not answer.", retry=True)


def put_store_behind(
    monkeypatch: pytest.MonkeyPatch, row: VectorStore, store: Callable[[], Store]
) -> None:
    """Let a store answer behind a row, wherever it is opened."""
    made = {row.pk: store()}
    for place in (
        "knowledge.stores.registry.open_store",
        "knowledge.stores.sync.open_store",
        "knowledge.stores.moves.open_store",
        "knowledge.stores.services.make_store",
        "knowledge.stores.erasing.make_store",
        "knowledge.retrieval.nearest.open_store",
    ):
        monkeypatch.setattr(place, lambda row: made[row.pk])
    assert registry.open_store is not None


@contextmanager
def embedded(
    monkeypatch: pytest.MonkeyPatch, kind: str, folder: Path, owner: Persona
) -> Iterator[VectorStore]:
    """A row with the embedded mode of a kind behind it."""
    row = make_store(owner.space, kind=StoreKind(kind))
    opened = opener(kind, folder, row.pk)()
    put_store_behind(monkeypatch, row, lambda: opened)
    yield row
    opened.close()
    end_server(folder)


def work_off() -> None:
    """Carry out what is enqueued."""
    while work("enrich"):
        pass


def ask(who: Persona, question: str, base: KnowledgeBase) -> Retrieval:
    return retrieve(who.actor, query=question, scope=Scope(base_ids=(base.pk,)))


def ids_of(found: Retrieval) -> list[UUID]:
    return [hit.chunk_id for hit in found.hits]
