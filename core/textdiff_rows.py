"""Rows of a diff as HTML of a table: a text of thousands of lines has as many.

A template that goes through the rows takes a tenth of a millisecond for each; see
`benchmarks/wiki_history.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from core.textdiff import InlineRow, Row, marked


def split_rows(rows: Iterable[Row]) -> SafeString:
    """Return rows of four cells: number and text of the old side, number and text of the new one."""
    removed, added = _spoken(f"{gettext('removed')}: "), _spoken(f"{gettext('added')}: ")
    return SafeString(
        "".join(
            f'<tr class="is-{row.kind}"><td class="num">{row.old.number if row.old else ""}</td>'
            f'<td class="old bidi">{removed if row.kind in ("changed", "removed") else ""}'
            f"{marked(row.old, side='old')}</td>"
            f'<td class="num">{row.new.number if row.new else ""}</td>'
            f'<td class="new bidi">{added if row.kind in ("changed", "added") else ""}'
            f"{marked(row.new, side='new')}</td></tr>"
            for row in rows
        )
    )


def single_rows(rows: Iterable[InlineRow]) -> SafeString:
    """Return rows of four cells: old number, new number, sign and text."""
    signs = {
        "removed": ("was", f"−{_spoken(gettext('removed'))}"),
        "added": ("is", f"+{_spoken(gettext('added'))}"),
    }
    pieces: list[str] = []
    for row in rows:
        css_class, sign = signs.get(row.kind, ("", ""))
        pieces.append(
            f'<tr class="{css_class}"><td class="num">{row.old_number or ""}</td>'
            f'<td class="num">{row.new_number or ""}</td><td class="sign">{sign}</td>'
            f'<td class="bidi">{marked(row.line, side=row.side)}</td></tr>'
        )
    return SafeString("".join(pieces))


def _spoken(words: str) -> str:
    return f'<span class="vh">{escape(words)}</span>'
