"""Rows of a diff as HTML."""

from __future__ import annotations

from core.textdiff import diff_lines, inline_rows
from core.textdiff_rows import single_rows, split_rows

ROWS = diff_lines("same\n<b>a ship came</b>\ngone", "same\n<b>a boat came</b>\n")


def test_both_sides_stand_beside_each_other() -> None:
    same, changed, removed = split_rows(ROWS).split("</tr>")[:3]
    assert same == (
        '<tr class="is-same"><td class="num">1</td><td class="old bidi">same</td>'
        '<td class="num">1</td><td class="new bidi">same</td>'
    )
    assert (
        '<span class="vh">removed: </span>&lt;b&gt;a <del>ship</del> came&lt;/b&gt;</td>' in changed
    )
    assert (
        '<span class="vh">added: </span>&lt;b&gt;a <ins>boat</ins> came&lt;/b&gt;</td>' in changed
    )
    assert removed.endswith(
        '<span class="vh">removed: </span><del>gone</del></td><td class="num"></td><td class="new bidi"></td>'
    )


def test_what_a_stretch_loses_stands_before_what_it_gets() -> None:
    rows = single_rows(inline_rows(ROWS)).split("</tr>")[:4]
    assert [row[: row.index(">")] for row in rows] == [
        '<tr class=""',
        '<tr class="was"',
        '<tr class="was"',
        '<tr class="is"',
    ]
    assert '<td class="num">2</td><td class="num"></td><td class="sign">−' in rows[1]
    assert '<td class="num"></td><td class="num">2</td><td class="sign">+' in rows[3]
