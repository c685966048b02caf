from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from core.textmerge import Clash, Kept, merge_texts

LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "c c c\n", "d e f\n", "\n", "潮 位\n", "x"]), max_size=9
)
TEXT = LINES.map("".join)


@given(TEXT, TEXT)
def test_side_that_changed_nothing_gives_way(base: str, other: str) -> None:
    assert merge_texts(base, base, other).text == other
    assert merge_texts(base, other, base).text == other
    assert merge_texts(base, other, other).text == other


@given(TEXT, TEXT, TEXT)
def test_sides_may_be_swapped(base: str, ours: str, theirs: str) -> None:
    one, other = merge_texts(base, ours, theirs), merge_texts(base, theirs, ours)
    swapped = tuple(
        Clash(base=part.base, ours=part.theirs, theirs=part.ours)
        if isinstance(part, Clash)
        else part
        for part in other.parts
    )
    assert one.parts == swapped


@given(LINES, LINES, st.integers(0, 9), st.integers(0, 9))
def test_line_that_one_side_added_is_not_lost(
    base: list[str], theirs: list[str], at: int, other: int
) -> None:
    ours = [*base[:at], "only ours\n", *base[at:]]
    theirs = [*theirs[:other], "only theirs\n", *theirs[other:]]
    merge = merge_texts("".join(base), "".join(ours), "".join(theirs))
    everything = "".join(
        part.text if isinstance(part, Kept) else part.ours + part.theirs for part in merge.parts
    )
    assert everything.count("only ours\n") == everything.count("only theirs\n") == 1


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("1\n2\n3\n", "0\n1\n2\n3\n", "1\n2\n3\n4\n", "0\n1\n2\n3\n4\n"),
        ("1\n2\n3\n", "1\n3\n", "1\n2\n3!\n", None),
        ("The old pier has ten lamps.\n",) * 2
        + ("The old pier has nine lamps.\n", "The old pier has nine lamps.\n"),
        (
            "The old pier has ten lamps.\n",
            "The new pier has ten lamps.\n",
            "The old pier has nine lamps.\n",
            "The new pier has nine lamps.\n",
        ),
        ("ten lamps\n", "nine lamps\n", "ten lights\n", None),
        ("ten lamps\n", "nine lamps\n", "eight lamps\n", None),
        ("港口有两座灯塔。\n", "港口有三座灯塔。\n", "港口有两座白塔。\n", "港口有三座白塔。\n"),
        ("a\n", "a\nb\n", "a\nc\n", None),
        ("", "a\n", "b\n", None),
    ],
    ids=[
        "apart",
        "beside",
        "one",
        "words",
        "no word between",
        "same word",
        "cjk",
        "both add",
        "new",
    ],
)
def test_what_is_joined_and_what_clashes(
    base: str, ours: str, theirs: str, merged: str | None
) -> None:
    merge = merge_texts(base, ours, theirs)
    assert (None if merge.clashes else merge.text) == merged


def test_clash_can_be_chosen_or_marked() -> None:
    merge = merge_texts("a\nb\nc\n", "a\nB\nc\n", "a\nß\nc\n")
    (clash,) = merge.clashes
    assert merge.resolved([clash.resolved("both")]) == "a\nB\nß\nc\n"
    assert merge.with_markers(ours="page", theirs="proposal") == (
        "a\n<<<<<<< page\nB\n||||||| \nb\n=======\nß\n>>>>>>> proposal\nc\n"
    )
    with pytest.raises(ValueError, match="0 answers to 1"):
        _ = merge.text


def test_long_page_is_quick() -> None:
    base = [f"line {n}\n" for n in range(2_500)]
    ours, theirs = base[:], base[:]
    ours[::50], theirs[25::50] = ["ours\n"] * 50, ["theirs\n"] * 50
    began = time.process_time()
    assert not merge_texts("".join(base), "".join(ours), "".join(theirs)).clashes
    assert time.process_time() - began < 5
