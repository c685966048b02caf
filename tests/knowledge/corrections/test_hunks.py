from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from knowledge.corrections.hunks import Hunk, apply_hunks, hunks_of

WORDS = st.lists(
    st.sampled_from(["one", "two", "3", ",", " ", "\n\n", "水", "é", "|"]), max_size=40
)
TEXTS = WORDS.map("".join)


@given(TEXTS.filter(str.strip), TEXTS)
def test_hunks_turn_one_text_into_the_other(old: str, new: str) -> None:
    assert apply_hunks(old, hunks_of(old, new)) == new


@given(TEXTS.filter(str.strip), TEXTS)
def test_hunks_stand_in_order_and_each_holds_a_sign(old: str, new: str) -> None:
    place = 0
    for hunk in hunks_of(old, new):
        assert place <= hunk.start < hunk.end <= len(old)
        assert old[hunk.start : hunk.end].strip()
        place = hunk.end


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("The door is open.", "The door is shut.", [Hunk(start=12, end=16, text="shut")]),
        ("The door.", "The red door.", [Hunk(start=2, end=4, text="e red ")]),
        ("The door.", "The door. It is.", [Hunk(start=8, end=9, text=". It is.")]),
        ("same", "same", []),
    ],
    ids=["a word", "an insertion", "an appendix", "nothing"],
)
def test_only_what_changed_is_replaced(old: str, new: str, expected: list[Hunk]) -> None:
    assert hunks_of(old, new) == expected


def test_a_very_long_change_is_one_hunk() -> None:
    old, new = " ".join(map(str, range(5_000))), " ".join(map(str, range(7_000, 1, -1)))
    (hunk,) = hunks_of(old, new)
    assert apply_hunks(old, [hunk]) == new
