"""Edits are read against the original: in any order the same, all or none."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st

from sandbox.files.edits import Edit, EditRefused, apply_edits

EDITS = st.lists(
    st.builds(
        Edit,
        old=st.text(alphabet="abc", min_size=1, max_size=3),
        new=st.text(alphabet="abcX", max_size=3),
        replace_all=st.booleans(),
    ),
    min_size=1,
    max_size=4,
)


def outcome(text: str, edits: list[Edit]) -> str | None:
    try:
        return apply_edits(text, edits).text
    except EditRefused:
        return None


@given(text=st.text(alphabet="abc", max_size=12), edits=EDITS, data=st.data())
def test_order_does_not_matter(text: str, edits: list[Edit], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(edits))
    assert outcome(text, edits) == outcome(text, list(shuffled))


@given(words=st.lists(st.sampled_from("pqrstuv"), unique=True, min_size=2), data=st.data())
def test_each_edit_sees_the_original_and_not_the_others(
    words: list[str], data: st.DataObject
) -> None:
    """Swapping all words round works in one batch, because no edit reads another's result."""
    turned = [*words[1:], words[0]]
    edits = [Edit(old=old, new=new) for old, new in zip(words, turned, strict=True)]
    mixed = list(data.draw(st.permutations(edits)))
    assert apply_edits(" ".join(words), mixed).text == " ".join(turned)


@pytest.mark.parametrize(
    ("edits", "because"),
    [
        ([Edit(old="x", new="y")], "does not stand"),
        ([Edit(old="a", new="y")], "2 places"),
        ([Edit(old="aa", new="y"), Edit(old="ab", new="z")], "same text"),
        ([Edit(old="", new="y")], "empty"),
        ([Edit(old="b", new="z"), Edit(old="x", new="y")], "Edit 2"),
    ],
    ids=["not found", "ambiguous", "overlapping", "empty", "one of two"],
)
def test_a_batch_with_one_bad_edit_is_refused(edits: list[Edit], because: str) -> None:
    with pytest.raises(EditRefused, match=because):
        apply_edits("aab", edits)


def test_an_overlapping_match_is_ambiguous() -> None:
    with pytest.raises(EditRefused, match="2 places"):
        apply_edits("aaa", [Edit(old="aa", new="b")])


def test_replace_all_counts_what_it_replaced() -> None:
    done = apply_edits("aaaa", [Edit(old="a", new="bb", replace_all=True)])
    assert (done.text, done.replacements) == ("bbbbbbbb", 4)


@given(text=st.text(max_size=30), old=st.text(min_size=1, max_size=3))
def test_what_is_not_there_changes_nothing(text: str, old: str) -> None:
    assume(old not in text)
    assert outcome(text, [Edit(old=old, new="")]) is None
