"""The order of candidates: bounded, total, and the same whatever order they came in."""

from __future__ import annotations

from typing import get_args
from uuid import UUID

import pytest
from hypothesis import given, settings, strategies as st

from knowledge.base_settings import Fusion, RetrievalOptions
from knowledge.retrieval.fuse import SMALLEST_SPAN, Candidate, Span, fuse

UNIT = st.floats(0, 1)


def candidate(number: int = 1, graph=None, **fields) -> Candidate:
    values = {
        "chunk_id": UUID(int=number),
        "document_id": UUID(int=1),
        "position": number,
        "identity": "m",
        "dense_score": 0.8,
        "dense_rank": 1,
        "keyword_rank": None,
        "keyword_score": 0.0,
        "terms": frozenset(),
    }
    if graph:
        values |= {"graph_rank": graph[0], "graph_score": graph[1]}
    return Candidate(**{**values, **fields})


CANDIDATES = st.lists(
    st.builds(
        candidate,
        st.integers(1, 10_000),
        identity=st.sampled_from(["m", "n", None]),
        dense_score=st.none() | st.floats(-1, 1),
        dense_rank=st.none() | st.integers(1, 50),
        keyword_score=UNIT,
        keyword_rank=st.none() | st.integers(1, 50),
        graph=st.none() | st.tuples(st.integers(1, 50), UNIT),
        below=st.frozensets(st.sampled_from(["dense", "keyword"])),
    ),
    max_size=30,
    unique_by=lambda each: each.chunk_id,
)
SPANS = st.fixed_dictionaries(
    {"m": st.tuples(UNIT, UNIT).map(lambda pair: Span(low=min(pair), high=max(pair)))}
)


OPTIONS = st.builds(
    RetrievalOptions,
    fusion=st.sampled_from(get_args(Fusion)),
    keyword_weight=st.floats(0, 10),
    graph_weight=st.floats(0, 10),
    rrf_k=st.integers(1, 1000),
)


@settings(deadline=None)
@given(CANDIDATES, SPANS, OPTIONS, st.randoms())
def test_the_order_is_total_and_does_not_depend_on_the_input(found, spans, options, rng):
    ranked = fuse(found, spans=spans, options=options)
    shuffled = list(found)
    rng.shuffle(shuffled)
    assert fuse(shuffled, spans=spans, options=options) == ranked
    scores = [each.score for each in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert {each.candidate.chunk_id for each in ranked} == {each.chunk_id for each in found}


def test_the_nearest_passage_has_one_and_the_last_of_the_near_zero():
    span = Span(low=0.7, high=0.9)
    values = [span.normalise(score) for score in (0.9, 0.8, 0.7, 0.2)]
    assert values == pytest.approx([1.0, 0.5, 0.0, 0.0])


def test_a_single_candidate_counts_as_near():
    assert Span(low=0.8, high=0.8).normalise(0.8) == 1.0


def test_a_tiny_difference_is_not_blown_up():
    span = Span(low=0.80, high=0.81)
    assert span.normalise(0.80) == pytest.approx(1 - 0.01 / SMALLEST_SPAN)


def test_coverage_weighs_against_meaning_as_told():
    near = candidate(1, dense_score=0.9, keyword_score=0.0)
    worded = candidate(2, dense_score=0.8, keyword_score=0.6)
    spans = {"m": Span(low=0.8, high=0.9)}
    by_words = fuse([near, worded], spans=spans, options=RetrievalOptions())
    assert [each.candidate for each in by_words] == [worded, near]
    by_meaning = fuse([near, worded], spans=spans, options=RetrievalOptions(keyword_weight=0.5))
    assert [each.candidate for each in by_meaning] == [near, worded]


def test_each_models_scores_are_compared_with_its_own_only():
    high = candidate(1, identity="m", dense_score=0.95)
    low = candidate(2, identity="n", dense_score=0.40)
    spans = {"m": Span(low=0.8, high=0.95), "n": Span(low=0.1, high=0.4)}
    assert {each.score for each in fuse([high, low], spans=spans, options=RetrievalOptions())} == {
        1 / 3
    }


SPANS_OF_M = {"m": Span(low=0.8, high=0.9)}


def scores(found: list[Candidate], **options) -> list[float]:
    ranked = fuse(found, spans=SPANS_OF_M, options=RetrievalOptions(**options))
    by_number = {each.candidate.position: each.score for each in ranked}
    return [by_number[each.position] for each in found]


def test_reciprocal_ranks_are_a_share_of_the_first_place_everywhere():
    first = candidate(1, dense_rank=1, keyword_rank=1)
    second = candidate(2, dense_rank=2, keyword_rank=None)
    found = scores([first, second], fusion="rrf", keyword_weight=1.0)
    assert found == pytest.approx([1.0, 0.5 * 61 / 62])


def test_a_rank_whose_threshold_was_missed_does_not_count():
    one = candidate(1, dense_rank=1, keyword_rank=3, below=frozenset({"dense"}))
    (found,) = scores([one], fusion="rrf", keyword_weight=1.0)
    assert found == pytest.approx(0.5 * 61 / 63)


def test_one_list_alone_orders_by_its_own_scores():
    near = candidate(1, dense_score=0.9, keyword_score=0.1)
    worded = candidate(2, dense_score=0.8, keyword_score=0.7)
    assert scores([near, worded], fusion="dense") == pytest.approx([1.0, 0.0])
    assert scores([near, worded], fusion="keyword") == pytest.approx([0.1, 0.7])


def test_the_best_of_the_normalised_scores_counts():
    near = candidate(1, dense_score=0.9, keyword_score=0.1)
    linked = candidate(2, dense_score=0.8, keyword_score=0.2, graph=(1, 0.6))
    assert scores([near, linked], fusion="best") == pytest.approx([1.0, 0.6])


def test_a_graph_that_names_nothing_changes_no_score():
    found = [candidate(1, keyword_score=0.5)]
    assert scores(found, graph=True, graph_weight=3.0) == scores(found)
    linked = [candidate(1, keyword_score=0.5, graph=(1, 1.0))]
    assert scores(linked, graph=True, graph_weight=1.0) == pytest.approx([0.5])
