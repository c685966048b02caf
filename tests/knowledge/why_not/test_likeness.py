"""How much of a text stands in another, whatever was copied with it."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from knowledge.why_not.likeness import share, squeezed


@pytest.mark.parametrize(
    "copied",
    ["Two  weeks,\nfrom today", "TWO WEEKS FROM TODAY", "two weeks — from “today”."],
    ids=["line break", "capitals", "marks"],
)
def test_breaks_capitals_and_marks_count_for_nothing(copied: str) -> None:
    assert squeezed(copied) == "twoweeksfromtoday"


def test_a_text_without_spaces_is_compared_too() -> None:
    held = squeezed("员工每年享有五天带薪年假，直至子女满三周岁。")
    assert share(squeezed("每年享有五天带薪年假"), [held]) == 1.0
    assert share(squeezed("试用期为三个月，期满转正"), [held]) == 0.0


def test_two_halves_hold_together_what_neither_holds_alone() -> None:
    wanted = squeezed("The rotor is checked by the crew before the season begins.")
    halves = [squeezed("The rotor is checked by the crew"), squeezed("before the season begins.")]
    assert all(share(wanted, [half]) < 0.85 for half in halves)
    assert share(wanted, halves) >= 0.85


@given(st.text(min_size=1), st.text())
def test_a_share_is_a_share_and_a_text_holds_itself(text: str, other: str) -> None:
    wanted = squeezed(text)
    assert 0.0 <= share(wanted, [squeezed(other)]) <= 1.0
    assert not wanted or share(wanted, [wanted]) == 1.0
