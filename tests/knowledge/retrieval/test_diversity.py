"""Variety among the hits: what says the same as a hit before it waits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from knowledge.retrieval.diversity import diversify
from knowledge.retrieval.fuse import Ranked
from tests.knowledge.retrieval.test_fuse import candidate
from tests.knowledge.retrieval.test_rerank import positions


def of(number: int, score: float, terms: str) -> Ranked:
    return Ranked(candidate=candidate(number, terms=frozenset(terms.split())), score=score)


SAME = "notice period two weeks"
FOUND = [of(1, 0.9, SAME), of(2, 0.8, SAME), of(3, 0.7, "travel class europe flights")]


@pytest.mark.parametrize(
    ("balance", "limit", "order"),
    [(1.0, 3, [1, 2, 3]), (0.7, 3, [1, 3, 2]), (0.7, 1, [1, 2, 3]), (0.99, 3, [1, 2, 3])],
)
def test_the_balance_decides_whether_a_repetition_waits(balance, limit, order):
    assert positions(diversify(FOUND, balance=balance, limit=limit)) == order


def test_equal_passages_stay_in_their_order():
    found = [replace(each, score=0.5) for each in FOUND[:2]]
    assert positions(diversify(found, balance=0.5, limit=2)) == [1, 2]


RANKED = st.lists(
    st.tuples(st.floats(0, 1), st.frozensets(st.sampled_from("abcdef"))), max_size=20
).map(lambda rows: [of(n, score, " ".join(terms)) for n, (score, terms) in enumerate(rows)])


@given(RANKED, st.floats(0, 1), st.integers(1, 30))
def test_nothing_is_lost_and_the_best_stays_first(found, balance, limit):
    found.sort(key=lambda each: -each.score)
    varied = diversify(found, balance=balance, limit=limit)
    assert sorted(positions(varied)) == sorted(positions(found))
    assert varied == diversify(found, balance=balance, limit=limit)
    if found and balance > 0:
        assert varied[0].score == found[0].score
