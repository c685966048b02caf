"""Every adapter with its embedded mode, and points of real passages."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np
import pytest

from knowledge.models import Chunk, Document, KnowledgeBase
from knowledge.stores.connection import Connection
from knowledge.stores.contract import Collection, Point, Store
from knowledge.stores.milvus import MilvusStore
from knowledge.stores.opensearch import OpenSearchStore
from knowledge.stores.pgvector import PgVectorStore
from knowledge.stores.qdrant import QdrantStore
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

KINDS = ("pgvector", "qdrant", "milvus", "opensearch")
DIMENSIONS = 32
OPENSEARCH_URL = os.environ.get("WEKNORA_TEST_OPENSEARCH_URL", "")


def end_server(folder: Path) -> None:
    """End the process behind a file of Milvus Lite, as a restart of the machine would."""
    lite = sys.modules.get("milvus_lite.server_manager")
    if lite is not None:
        lite.server_manager_instance.release_server(str(folder / "milvus.db"))


@dataclass
class Bench:
    """A store, what opens it again, and the points of two bases of one space."""

    store: Store
    open_again: Callable[[], Store]
    folder: Path
    collection: Collection
    base: KnowledgeBase
    other: KnowledgeBase
    points: list[Point] = field(default_factory=list)

    def close(self) -> None:
        """Close the store, and end what runs behind it."""
        self.store.close()
        end_server(self.folder)

    def of(self, base: KnowledgeBase) -> list[Point]:
        return [point for point in self.points if point.base_id == base.pk]

    def exact(self, vector: np.ndarray, points: list[Point], limit: int) -> list[UUID]:
        """The nearest by comparing with each."""
        near = sorted(points, key=lambda each: -float(np.dot(each.vector, vector)))
        return [each.chunk_id for each in near[:limit]]

    def found(self, vector: np.ndarray, **wanted: object) -> list[UUID]:
        near = self.store.search(self.collection, vector, **wanted)  # type: ignore[arg-type]  # a test's own
        return [each.chunk_id for each in near]


def vectors(count: int, *, seed: int = 0, dimensions: int = DIMENSIONS) -> np.ndarray:
    """Vectors of length 1, far enough from each other that half precision keeps their order."""
    found = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def opener(kind: str, folder: Path, owner: UUID) -> Callable[[], Store]:
    """Return what opens a store of a kind; skips where it cannot be had."""

    def connection(address: str) -> Connection:
        return Connection(owner=owner, name=kind, address=address)

    match kind:
        case "pgvector":
            return PgVectorStore
        case "qdrant":
            pytest.importorskip("qdrant_client", reason="requirements-vectors.txt")
            return lambda: QdrantStore(connection(str(folder / "qdrant")))
        case "milvus":
            pytest.importorskip("pymilvus", reason="requirements-vectors.txt")
            pytest.importorskip("milvus_lite", reason="requirements-dev.txt")
            return lambda: MilvusStore(connection(str(folder / "milvus.db")))
        case _:
            if not OPENSEARCH_URL:
                pytest.skip("WEKNORA_TEST_OPENSEARCH_URL names no server")
            return lambda: OpenSearchStore(connection(OPENSEARCH_URL))


def points_of(document: Document, *, seed: int) -> list[Point]:
    chunks = list(Chunk.objects.filter(document=document).order_by("position"))
    return [
        Point(
            chunk_id=chunk.pk, base_id=chunk.base_id, document_id=chunk.document_id, vector=vector
        )
        for chunk, vector in zip(chunks, vectors(len(chunks), seed=seed), strict=True)
    ]


@pytest.fixture(params=KINDS)
def bench(
    request: pytest.FixtureRequest, tmp_path: Path, base: KnowledgeBase, victor: Persona
) -> Iterator[Bench]:
    """Sixty points of a base in three documents, thirty of another base."""
    owner = uuid4()
    again = opener(request.param, tmp_path, owner)
    other = make_base(victor.space, name="Other")
    collection = Collection(owner=owner, identity="words/1", dimensions=DIMENSIONS)
    made = Bench(
        store=again(),
        open_again=again,
        folder=tmp_path,
        collection=collection,
        base=base,
        other=other,
    )
    for number, where in enumerate((base, base, base, other)):
        count = 30 if where == other else 20
        document = make_document(where, texts=[f"passage {number}/{n}" for n in range(count)])
        made.points += points_of(document, seed=number + 1)
    made.store.ensure(collection)
    made.store.upsert(collection, made.points)
    yield made
    made.store.drop(collection)
    made.close()
