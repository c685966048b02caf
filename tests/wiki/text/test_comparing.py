"""What changed between two texts of a page."""

from __future__ import annotations

from wiki.text.comparing import compare_texts
from wiki.values import PageText

BEFORE = "# Tides\n\nTwo a day. [[concept/moon]] ![gauge](gauge.png)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
AFTER = BEFORE.replace("[[concept/moon]]", "[[concept/sun|Sun]]").replace("| 2 |", "| 3 |")


def page(content: str, **fields: object) -> PageText:
    return PageText(slug="concept/tides", title="Tides", content=content, **fields)  # type: ignore[arg-type]  # fields of the value


def test_links_pictures_and_fields_are_told_apart() -> None:
    new = page(AFTER.replace("gauge.png", "new.png"), summary="By the sun.", aliases=("Ebb",))
    found = compare_texts(page(BEFORE, summary="By the moon."), new)
    assert (found.links.added, found.links.removed) == (("concept/sun",), ("concept/moon",))
    assert (found.pictures.added, found.pictures.removed) == (("new.png",), ("gauge.png",))
    assert found.summary is not None
    assert [piece.text for piece in found.summary.new if piece.is_changed] == ["sun"]
    assert found.aliases.added == ("Ebb",)
    assert found.title is None
    assert not found.is_same


def test_in_a_row_of_a_table_only_the_changed_cell_is_marked() -> None:
    row = compare_texts(page(BEFORE), page(AFTER)).rows[-1]
    assert row.kind == "changed"
    assert row.new is not None
    assert [piece.text for piece in row.new.pieces if piece.is_changed] == ["3"]


def test_a_fold_says_under_which_heading_the_next_lines_stand() -> None:
    old = "# A\n" + "same\n" * 20 + "## B\n" + "same\n" * 20 + "end\n"
    rows = compare_texts(page(old), page(old.replace("end", "END"))).rows
    assert [(row.kind, row.heading) for row in rows][0] == ("left_out", "B")


def test_other_ends_of_lines_are_told_though_no_line_shows_them() -> None:
    found = compare_texts(page("a\n"), page("a\r\n"))
    assert found.only_blanks
    assert not found.is_same
