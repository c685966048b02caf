"""Two texts side by side."""

from __future__ import annotations

from hypothesis import given, strategies as st

from core.textdiff import diff_lines, diff_words, marked

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
