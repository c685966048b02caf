"""Two texts side by side."""

from __future__ import annotations

import time

from hypothesis import given, strategies as st

from core.textdiff import characters_changed, diff_lines, diff_words, inline_rows, marked

LINES = st.lists(st.text(alphabet="ab 你<\t", max_size=6), max_size=8).map("\n".join)


def changed(pieces: object) -> list[str]:
    return [piece.text for piece in pieces if piece.is_changed]  # type: ignore[attr-defined]  # pieces


def test_only_the_changed_words_are_marked() -> None:
    old, new = diff_words("Answer in two sentences.", "Answer in three sentences.")
    assert changed(old) == ["two"]
    assert changed(new) == ["three"]


def test_scripts_without_spaces_are_compared_by_character() -> None:
    old, new = diff_words("请用两句话回答", "请用三句话回答")
    assert changed(old) == ["两"]
    assert changed(new) == ["三"]


def test_lines_stand_side_by_side_with_their_numbers() -> None:
    rows = diff_lines("one\ntwo\nthree", "one\n2\nthree\nfour")
    assert [(row.kind, row.old and row.old.number, row.new and row.new.number) for row in rows] == [
        ("same", 1, 1),
        ("changed", 2, 2),
        ("same", 3, 3),
        ("added", None, 4),
    ]


def test_equal_lines_far_from_a_change_are_left_out() -> None:
    text = "\n".join(str(number) for number in range(20))
    rows = diff_lines(text, text.replace("10", "ten"), context=2)
    assert [row.kind for row in rows] == [
        "left_out",
        *["same"] * 2,
        "changed",
        *["same"] * 2,
        "left_out",
    ]
    assert [row.skipped for row in rows if row.kind == "left_out"] == [8, 7]


def test_equal_texts_with_context_are_one_row_that_says_how_many() -> None:
    (row,) = diff_lines("a\nb", "a\nb", context=3)
    assert (row.kind, row.skipped) == ("left_out", 2)


def test_html_is_escaped_and_changes_are_elements() -> None:
    (row,) = diff_lines("<b>old</b>", "<b>new</b>")
    assert marked(row.old, side="old") == "&lt;b&gt;<del>old</del>&lt;/b&gt;"
    assert marked(row.new, side="new") == "&lt;b&gt;<ins>new</ins>&lt;/b&gt;"
    assert marked(None, side="old") == ""


def test_a_very_long_line_is_marked_as_a_whole() -> None:
    old, new = diff_words("a " * 5000, "b " * 5000)
    assert len(old) == len(new) == 1


@given(LINES, LINES)
def test_both_texts_can_be_read_back_whole(old: str, new: str) -> None:
    rows = diff_lines(old, new)
    assert [row.old.text for row in rows if row.old] == old.splitlines()
    assert [row.new.text for row in rows if row.new] == new.splitlines()
    assert all(row.kind == "same" for row in rows) == (old.splitlines() == new.splitlines())


def test_like_lines_of_a_changed_stretch_stand_beside_each_other() -> None:
    rows = diff_lines("The tide is high.\nMind the gap.", "New.\nThe tide is low.\nMind the gaps.")
    assert [(row.kind, row.old and row.old.number, row.new and row.new.number) for row in rows] == [
        ("added", None, 1),
        ("changed", 1, 2),
        ("changed", 2, 3),
    ]


def test_changed_words_with_a_blank_between_are_one_mark() -> None:
    old, new = diff_words("one two three", "one deux trois")
    assert changed(old) == ["two three"]
    assert changed(new) == ["deux trois"]


def test_lines_that_differ_in_blanks_are_equal_when_blanks_are_ignored() -> None:
    rows = diff_lines("a  b\nc", "a b \nd", ignore_blanks=True)
    assert [row.kind for row in rows] == ["same", "changed"]
    assert rows[0].old
    assert rows[0].old.text == "a  b"


def test_one_below_the_other_a_stretch_loses_before_it_gets() -> None:
    rows = inline_rows(diff_lines("a\nbat\ncat\nz", "a\nbats\ncats\nz"))
    assert [(row.kind, row.line and row.line.text) for row in rows] == [
        ("same", "a"),
        ("removed", "bat"),
        ("removed", "cat"),
        ("added", "bats"),
        ("added", "cats"),
        ("same", "z"),
    ]


def test_long_texts_without_a_common_line_take_no_time_to_speak_of() -> None:
    old = "\n\n".join(f"old {number}" for number in range(1500))
    began = time.process_time()
    rows = diff_lines(old, old.replace("old", "neu"))
    assert time.process_time() - began < 5  # with a quadratic comparison it was minutes
    assert sum(row.kind == "changed" for row in rows) == 1500


@given(LINES, LINES)
def test_characters_that_are_told_add_up(old: str, new: str) -> None:
    added, removed = characters_changed(old, new)
    assert len(new) - len(old) == added - removed
