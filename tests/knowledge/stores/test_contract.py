"""One suite for every adapter: what a store has to do, whatever stands behind it."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import numpy as np
import pytest

from knowledge.stores.contract import Collection
from tests.knowledge.stores.conftest import DIMENSIONS, Bench, vectors


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_the_nearest_are_those_of_an_exact_search(bench: Bench, seed: int) -> None:
    query = vectors(1, seed=seed)[0]
    found = bench.found(query, limit=20, base_ids=[bench.base.pk, bench.other.pk])
    assert found == bench.exact(query, bench.points, 20)


def test_the_filter_of_bases_holds_before_the_limit(bench: Bench) -> None:
    query = bench.of(bench.base)[0].vector
    found = bench.found(query, limit=30, base_ids=[bench.other.pk])
    assert found == bench.exact(query, bench.of(bench.other), 30)
    assert len(found) == 30
    assert bench.found(query, limit=5, base_ids=[uuid4()]) == []
    assert bench.found(query, limit=5, base_ids=[]) == []


def test_the_filter_of_documents_holds_before_the_limit(bench: Bench) -> None:
    query = bench.of(bench.base)[0].vector
    document = bench.of(bench.base)[-1].document_id
    found = bench.found(query, limit=50, base_ids=[bench.base.pk], document_ids=[document])
    own = [each for each in bench.points if each.document_id == document]
    assert found == bench.exact(query, own, 50)
    assert bench.found(query, limit=5, base_ids=[bench.other.pk], document_ids=[document]) == []


def test_scores_are_cosines_from_0_to_1(bench: Bench) -> None:
    query = bench.of(bench.base)[0].vector
    near = bench.store.search(bench.collection, query, limit=60, base_ids=[bench.base.pk])
    by_id = {each.chunk_id: each.score for each in near}
    for point in bench.of(bench.base):
        cosine = float(np.dot(point.vector, query))
        assert by_id[point.chunk_id] == pytest.approx((1 + cosine) / 2, abs=2e-3)
    assert max(by_id.values()) == pytest.approx(1.0, abs=1e-3)


def test_a_long_or_short_question_vector_finds_the_same(bench: Bench) -> None:
    query = vectors(1, seed=21)[0]
    where = [bench.base.pk]
    found = bench.found(query, limit=10, base_ids=where)
    assert bench.found(query * 7, limit=10, base_ids=where) == found
    assert bench.found(query * 0.01, limit=10, base_ids=where) == found


def test_a_passage_that_is_written_again_is_replaced(bench: Bench) -> None:
    first, second = bench.of(bench.base)[:2]
    bench.store.upsert(bench.collection, [replace(first, vector=-second.vector)])
    bench.store.upsert(bench.collection, [replace(first, vector=-second.vector)])
    assert bench.store.count(bench.collection, base_id=bench.base.pk) == 60
    assert bench.found(-second.vector, limit=1, base_ids=[bench.base.pk]) == [first.chunk_id]
    assert bench.found(second.vector, limit=1, base_ids=[bench.base.pk]) == [second.chunk_id]


def test_passages_are_removed_by_id_document_and_base(bench: Bench) -> None:
    own = bench.of(bench.base)
    store, collection, base_id = bench.store, bench.collection, bench.base.pk
    store.delete(collection, base_id=base_id, chunk_ids=[own[0].chunk_id, own[1].chunk_id])
    assert store.count(collection, base_id=base_id) == 58
    assert own[0].chunk_id not in bench.found(own[0].vector, limit=60, base_ids=[base_id])
    store.delete(collection, base_id=base_id, document_id=own[-1].document_id)
    assert store.count(collection, base_id=base_id) == 38
    store.delete(collection, base_id=base_id)
    assert store.count(collection, base_id=base_id) == 0
    assert store.count(collection) == 30
    store.delete(collection, base_id=base_id, chunk_ids=[uuid4()])  # nothing is there any more


def test_a_base_cannot_remove_what_another_one_has_now(bench: Bench) -> None:
    theirs = bench.of(bench.other)[0].chunk_id
    bench.store.delete(bench.collection, base_id=bench.base.pk, chunk_ids=[theirs])
    bench.store.delete(bench.collection, base_id=bench.base.pk, chunk_ids=[])
    assert bench.store.count(bench.collection, base_id=bench.other.pk) == 30
    assert bench.store.count(bench.collection, base_id=bench.base.pk) == 60


def test_what_was_written_outlives_a_restart(bench: Bench) -> None:
    query = vectors(1, seed=31)[0]
    before = bench.found(query, limit=20, base_ids=[bench.base.pk])
    bench.close()
    bench.store = bench.open_again()
    bench.store.ensure(bench.collection)
    assert bench.store.count(bench.collection) == 90
    assert bench.found(query, limit=20, base_ids=[bench.base.pk]) == before


@pytest.mark.parametrize(
    "identity", ["a'; DROP TABLE x; --", '") or (1 == 1', "模型/7", "../../etc", "x" * 200]
)
def test_hostile_names_of_models_are_only_names(bench: Bench, identity: str) -> None:
    hostile = Collection(owner=bench.collection.owner, identity=identity, dimensions=DIMENSIONS)
    assert hostile.name.replace("_", "").isalnum()
    assert (
        bench.store.search(hostile, bench.points[0].vector, limit=5, base_ids=[bench.base.pk]) == []
    )
    assert bench.store.count(hostile) == 0
    bench.store.ensure(hostile)
    bench.store.upsert(hostile, bench.points[:3])
    assert bench.store.count(hostile) == 3
    assert bench.store.count(bench.collection) == 90
    bench.store.drop(hostile)
    bench.store.drop(hostile)
    assert bench.store.count(hostile) == 0


@pytest.mark.parametrize("number", [0, 2**128 - 1])
def test_ids_at_the_ends_of_their_range_are_ordinary(bench: Bench, number: int) -> None:
    """Nothing has them: they find, count and remove nothing, and break no filter."""
    odd = UUID(int=number)
    store, collection = bench.store, bench.collection
    assert bench.found(bench.points[0].vector, limit=5, base_ids=[odd]) == []
    store.delete(collection, base_id=odd, chunk_ids=[odd])
    store.delete(collection, base_id=odd, document_id=odd)
    assert store.count(collection, base_id=odd) == 0
    assert store.count(collection) == 90


def test_it_says_what_it_is(bench: Bench) -> None:
    assert bench.store.probe().server.split()[0].strip(",") in {
        "PostgreSQL",
        "Qdrant",
        "Milvus",
        "OpenSearch",
        "Elasticsearch",
    }


def test_two_registrations_of_one_server_share_nothing(bench: Bench) -> None:
    other = replace(bench.collection, owner=uuid4())
    assert other.name != bench.collection.name
