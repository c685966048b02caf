"""Figures of benchmarks and evaluations."""

from __future__ import annotations

import pytest

from knowledge.retrieval.metrics import hit_at, reciprocal_rank

FOUND = ["a", "b", "c"]


@pytest.mark.parametrize(
    ("wanted", "k", "hit"),
    [({"a"}, 1, True), ({"b"}, 1, False), ({"b"}, 2, True), ({"x"}, 3, False), (set(), 3, False)],
)
def test_a_hit_is_one_of_the_wanted_among_the_first(wanted, k, hit):
    assert hit_at(FOUND, wanted, k=k) is hit


@pytest.mark.parametrize(
    ("wanted", "value"), [({"a"}, 1.0), ({"c"}, 1 / 3), ({"b", "c"}, 0.5), ({"x"}, 0.0)]
)
def test_the_reciprocal_rank_is_that_of_the_first_wanted(wanted, value):
    assert reciprocal_rank(FOUND, wanted) == value


def test_behind_k_nothing_counts():
    assert reciprocal_rank(FOUND, {"c"}, k=2) == 0.0
