"""The nearest vectors: exact below the limit, through the index above it, always permitted ones."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from knowledge.models import Chunk, Embedding
from knowledge.retrieval.dense import QueryVector, scores_of, search_dense
from knowledge.retrieval.scope import Scope, resolve
from tests.factories.knowledge import make_base, make_document

DIMENSIONS = 384


def vectors(count: int, *, seed: int = 0) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))


def store(document, values: np.ndarray, *, identity: str = "m") -> None:
    chunks = Chunk.objects.filter(document=document).order_by("position")
    Embedding.objects.bulk_create(
        Embedding(
            space_id=document.space_id,
            base_id=document.base_id,
            chunk=chunk,
            identity=identity,
            dimensions=values.shape[1],
            vector=value,
        )
        for chunk, value in zip(chunks, values, strict=True)
    )


@pytest.fixture
def crowded(base):
    """A base of 40 passages beside one of 600."""
    many = make_document(make_base(base.space), texts=[f"other {n}" for n in range(600)])
    store(many, vectors(600, seed=1))
    few = make_document(base, texts=[f"own {n}" for n in range(40)])
    store(few, vectors(40, seed=2))
    return few


@pytest.fixture
def query():
    return QueryVector(identity="m", vector=vectors(1, seed=3)[0])


def expected(document, query: QueryVector, limit: int) -> list[UUID]:
    rows = Embedding.objects.filter(chunk__document=document, identity=query.identity)
    near = [(float(np.dot(row.vector, query.vector)), row.chunk_id) for row in rows]
    return [chunk_id for _, chunk_id in sorted(near, reverse=True)[:limit]]


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "index"])
def test_only_permitted_passages_are_found_nearest_first(crowded, base, victor, query, exact):
    where = resolve(victor.actor, Scope(base_ids=(base.pk,)))
    hits = search_dense(where, query, limit=10, exact=exact)
    assert [hit.chunk_id for hit in hits] == expected(crowded, query, 10)
    assert [hit.rank for hit in hits] == list(range(1, 11))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "index"])
def test_vectors_of_another_model_are_not_compared(crowded, base, victor, query, exact):
    store(crowded, vectors(40, seed=3), identity="other")
    where = resolve(victor.actor, Scope(base_ids=(base.pk,)))
    hits = search_dense(where, query, limit=10, exact=exact)
    assert [hit.chunk_id for hit in hits] == expected(crowded, query, 10)


def test_a_length_without_an_index_is_searched_too(base, victor):
    document = make_document(base, texts=["a", "b"])
    store(document, np.array([[1, 0, 0], [0, 1, 0]], dtype=np.float32))
    where = resolve(victor.actor, Scope())
    near = QueryVector(identity="m", vector=np.array([0, 1, 0.1], dtype=np.float32))
    hits = search_dense(where, near, limit=5, exact=False)
    assert [hit.score for hit in hits] == pytest.approx([0.995, 0.0], abs=0.001)


def test_scores_of_chosen_passages_leave_out_those_without_a_vector(crowded, base, query):
    bare = make_document(base, texts=["no vector"])
    ids = [*crowded.chunks.values_list("pk", flat=True)[:3], bare.chunks.get().pk]
    assert set(scores_of(query, ids)) == set(ids[:3])
