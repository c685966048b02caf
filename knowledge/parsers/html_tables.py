"""Merged cells of HTML tables: every cell of the area gets the text, so that each row says all."""

from __future__ import annotations

import copy

import lxml.html

_MAX_SPANS = {"rowspan": 1_000, "colspan": 100}
_MAX_CELLS = 50_000


def fill_merged_cells(table: lxml.html.HtmlElement) -> None:
    """Replace rowspan and colspan by copies, in place; a cell over the whole width stays one."""
    rows = table.xpath(".//tr")
    width = max((sum(_span(cell, "colspan") for cell in _cells(row)) for row in rows), default=0)
    pending: dict[int, tuple[int, lxml.html.HtmlElement]] = {}
    budget = _MAX_CELLS
    for row in rows:
        column = 0
        for cell in _cells(row):
            column = _repeat_from_above(cell, pending, column, before=True)
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            for name in ("colspan", "rowspan"):
                cell.attrib.pop(name, None)
            if across >= width:
                across = 1
            budget -= across * down
            if budget < 0:
                return
            last = cell
            for offset in range(across):
                if offset:
                    last = _copy_after(last, cell)
                if down > 1:
                    pending[column + offset] = (down - 1, cell)
            column += across
        if len(row):
            _repeat_from_above(row[-1], pending, column, before=False)


def _cells(row: lxml.html.HtmlElement) -> list[lxml.html.HtmlElement]:
    return [cell for cell in row if cell.tag in {"td", "th"}]


def _span(cell: lxml.html.HtmlElement, name: str) -> int:
    value = cell.get(name, "1").strip()
    return min(max(int(value), 1), _MAX_SPANS[name]) if value.isascii() and value.isdigit() else 1


def _repeat_from_above(
    cell: lxml.html.HtmlElement,
    pending: dict[int, tuple[int, lxml.html.HtmlElement]],
    column: int,
    *,
    before: bool,
) -> int:
    """Put the copies that reach down to this row beside `cell`; return the next free column."""
    while column in pending:
        left, source = pending.pop(column)
        if left > 1:
            pending[column] = (left - 1, source)
        twin = _twin(source)
        if before:
            cell.addprevious(twin)
        else:
            cell.addnext(twin)
            cell = twin
        column += 1
    return column


def _copy_after(
    place: lxml.html.HtmlElement, source: lxml.html.HtmlElement
) -> lxml.html.HtmlElement:
    twin = _twin(source)
    place.addnext(twin)
    return twin


def _twin(source: lxml.html.HtmlElement) -> lxml.html.HtmlElement:
    twin = copy.deepcopy(source)
    twin.tail = None
    return twin
