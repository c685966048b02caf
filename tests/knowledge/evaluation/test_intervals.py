"""Bounds of means: seeded, around the mean, and narrow where much is known."""

from __future__ import annotations

import pytest

from knowledge.evaluation.intervals import difference_of, mean_of


def test_the_same_values_give_the_same_interval() -> None:
    values = [0.0, 1.0, 1.0, 0.5, 0.25]
    assert mean_of(values) == mean_of(values)
    assert mean_of([]) is None


def test_more_questions_make_it_narrower() -> None:
    few, many = mean_of([0.0, 1.0] * 10), mean_of([0.0, 1.0] * 200)
    assert few is not None
    assert many is not None
    assert few.value == many.value == pytest.approx(0.5)
    assert few.low < many.low < 0.5 < many.high < few.high


def test_the_interval_is_near_that_of_the_normal_distribution() -> None:
    """0.5 ± 1.96 × sqrt(0.25 / 400)."""
    found = mean_of([0.0, 1.0] * 200)
    assert found is not None
    assert found.low == pytest.approx(0.451, abs=0.01)
    assert found.high == pytest.approx(0.549, abs=0.01)


def test_a_difference_is_taken_in_pairs() -> None:
    before = [0.1, 0.5, 0.9]
    found = difference_of(before, [each + 0.05 for each in before])
    assert found is not None
    assert found.value == pytest.approx(0.05)
    assert found.low == pytest.approx(0.05)
    assert found.high == pytest.approx(0.05)
