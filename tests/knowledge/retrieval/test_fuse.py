"""The order of candidates: bounded, total, and the same whatever order they came in."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given, strategies as st

from knowledge.retrieval.fuse import SMALLEST_SPAN, Candidate, Span, fuse

UNIT = st.floats(0, 1)


def candidate(number: int = 1, **fields) -> Candidate:
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
    return Candidate(**{**values, **fields})


CANDIDATES = st.lists(
    st.builds(
        candidate,
        st.integers(1, 10_000),
        identity=st.sampled_from(["m", "n", None]),
        dense_score=st.none() | st.floats(-1, 1),
        keyword_score=UNIT,
    ),
    max_size=30,
    unique_by=lambda each: each.chunk_id,
)
SPANS = st.fixed_dictionaries(
    {"m": st.tuples(UNIT, UNIT).map(lambda pair: Span(low=min(pair), high=max(pair)))}
)


@given(CANDIDATES, SPANS, st.floats(0, 10), st.randoms())
def test_the_order_is_total_and_does_not_depend_on_the_input(found, spans, weight, rng):
    ranked = fuse(found, spans=spans, keyword_weight=weight)
    shuffled = list(found)
    rng.shuffle(shuffled)
    assert fuse(shuffled, spans=spans, keyword_weight=weight) == ranked
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
    by_words = fuse([near, worded], spans=spans, keyword_weight=2.0)
    assert [each.candidate for each in by_words] == [worded, near]
    by_meaning = fuse([near, worded], spans=spans, keyword_weight=0.5)
    assert [each.candidate for each in by_meaning] == [near, worded]


def test_each_models_scores_are_compared_with_its_own_only():
    high = candidate(1, identity="m", dense_score=0.95)
    low = candidate(2, identity="n", dense_score=0.40)
    spans = {"m": Span(low=0.8, high=0.95), "n": Span(low=0.1, high=0.4)}
    assert {each.score for each in fuse([high, low], spans=spans, keyword_weight=2)} == {1 / 3}
