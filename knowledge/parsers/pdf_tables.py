"""Tables of a PDF: rows that the layout parser glued together, columns without lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from liteparse import AnnotationRect, LayoutBlock, LayoutCell

from knowledge.parsers.pdf_geometry import PageText, TextLine, group_lines
from knowledge.parsers.pdf_layout import TextItem

_VALUE = re.compile(r"[-+±~<>≤≥$€£¥(]{0,3}\d[\d.,:/%()± -]*[%)a-zA-Z]{0,3}|[-–—/*]+|n/?a", re.I)
_SAME_LINE_POINTS = 3.0
_FAR_AWAY = 1e9
_TWO_LINES = 1.5
"""In heights of a line."""


@dataclass(frozen=True)
class GridTable:
    """Cells as text; an empty header where the page shows none."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        return max((len(row) for row in (self.header, *self.rows)), default=0)

    def as_rows(self) -> list[tuple[str, ...]]:
        """Header (maybe blank) and rows, for Markdown."""
        return [self.header or ("",) * self.width, *self.rows]


def read_table(block: LayoutBlock, text: PageText) -> GridTable:
    """Return the cells of a table block, glued rows taken apart."""
    grid = _Grid(block, text)
    header = tuple(cell.text for cell in block.header or [])
    rows: list[tuple[str, ...]] = []
    if block.header and (parts := _glued_header(grid.lines_of(block.header, -1))):
        header = parts[0]
        rows.append(parts[1])
    for number, row in enumerate(block.rows or []):
        texts = tuple(cell.text for cell in row)
        if number == 0 and not rows and (parts := _glued_header(grid.lines_of(row, number))):
            # Two levels: what stands in the header already names groups of columns.
            above = header or ("",) * len(parts[0])
            header = tuple(" ".join(names).strip() for names in zip(above, parts[0], strict=False))
            rows.append(parts[1])
        elif _may_be_stacked(texts):
            rows += _stacked_rows(grid.lines_of(row, number), texts) or [texts]
        else:
            rows.append(texts)
    return GridTable(header if any(header) else (), tuple(rows))


class _Grid:
    """Which text lies in which cell; the layout parser's boxes end with a cell's first line."""

    def __init__(self, block: LayoutBlock, text: PageText) -> None:
        rows = [block.header or [], *(block.rows or [])]
        self._tops = [_top(row) for row in rows]
        self._columns = _column_extents(rows)
        area = block.bbox
        self._area, self._text = area, text
        self._bottom = area.y + area.height if area else 0.0

    def lines_of(self, row: Sequence[LayoutCell], number: int) -> list[list[TextLine]]:
        """Return the lines in each cell of row `number` (-1 is the header)."""
        top = self._tops[number + 1]
        below = [place for place in self._tops[number + 2 :] if place is not None]
        if self._area is None or top is None or len(self._columns) != len(row):
            return [[] for _ in row]
        bottom = (below[0] if below else self._bottom + 1) - 1
        if bottom - top < _TWO_LINES * self._text.line_height:
            return [[] for _ in row]
        band = AnnotationRect(
            x=self._area.x, y=top - 1, width=self._area.width, height=max(bottom - top, 1)
        )
        extents = [
            (cell.bbox.x, cell.bbox.x + cell.bbox.width) if cell.bbox else column
            for cell, column in zip(row, self._columns, strict=True)
        ]
        cells: list[list[TextItem]] = [[] for _ in row]
        for item in self._text.items_in(band):
            cells[_nearest(extents, item)].append(item)
        return [group_lines(items) for items in cells]


def _top(row: Sequence[LayoutCell]) -> float | None:
    return min((cell.bbox.y for cell in row if cell.bbox), default=None)


def _column_extents(rows: Sequence[Sequence[LayoutCell]]) -> list[tuple[float, float]]:
    """Return left and right of each column; far away where no cell has a place."""
    extents: list[tuple[float, float]] = []
    for column in range(max((len(row) for row in rows), default=0)):
        boxes = [row[column].bbox for row in rows if column < len(row)]
        known = [box for box in boxes if box is not None]
        left = min((box.x for box in known), default=_FAR_AWAY)
        right = max((box.x + box.width for box in known), default=_FAR_AWAY)
        extents.append((left, right))
    return extents


def _nearest(extents: Sequence[tuple[float, float]], item: TextItem) -> int:
    """Return the column that shares most of its width with `item`, or else the one beside it."""
    item_left, item_right = item.x, item.x + item.width
    best, most = 0, -inf
    for column, (left, right) in enumerate(extents):
        # Called for each item and column: `min` and `max` would take most of the time.
        shared = (right if right < item_right else item_right) - (
            left if left > item_left else item_left
        )
        if shared > most:
            best, most = column, shared
    return best


def looks_like_values(row: Sequence[str]) -> bool:
    """Say whether most filled cells after the first hold numbers, dates or dashes."""
    filled = [cell for cell in row[1:] if cell.strip()]
    return bool(filled) and sum(_is_value(cell) for cell in filled) * 2 > len(filled)


def table_of_lines(lines: Sequence[TextLine]) -> GridTable | None:
    """Return the table that lines with wide gaps make, or None where it is running text."""
    if len(lines) < 2:
        return None
    rows = [line.cells() for line in lines]
    if any(len(row) < 2 for row in rows):
        return None
    columns = _columns([cell for row in rows for cell in row])
    if not 2 <= len(columns) <= 30:
        return None
    texts = tuple(_in_columns(row, columns) for row in rows)
    # Two columns of prose side by side have gaps, too, but hardly values.
    beside = [cell for row in texts for cell in row[1:] if cell]
    if sum(_is_value(cell) for cell in beside) * 2 < len(beside):
        return None
    return GridTable((), texts)


def _columns(cells: Sequence[list[TextItem]]) -> list[tuple[float, float]]:
    """Merge the horizontal extents of cells into columns."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted((cell[0].x, cell[-1].x + cell[-1].width) for cell in cells):
        if columns and left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _in_columns(
    row: Sequence[list[TextItem]], columns: Sequence[tuple[float, float]]
) -> tuple[str, ...]:
    texts = [""] * len(columns)
    for cell in row:
        middle = (cell[0].x + cell[-1].x + cell[-1].width) / 2
        number = next(
            (number for number, (_, right) in enumerate(columns) if middle <= right),
            len(columns) - 1,
        )
        texts[number] = " ".join([texts[number], *(item.text for item in cell)]).strip()
    return tuple(texts)


def _glued_header(
    cells: Sequence[list[TextLine]],
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Part a header from the first data row when its last line holds the values."""
    bottom = max((lines[-1].middle for lines in cells if lines), default=None)
    if bottom is None or max(len(lines) for lines in cells) < 2:
        return None
    last = tuple(
        lines[-1].text if lines and bottom - lines[-1].middle < _SAME_LINE_POINTS else ""
        for lines in cells
    )
    upper = tuple(
        " ".join(line.text for line in (lines[:-1] if low else lines))
        for lines, low in zip(cells, last, strict=True)
    )
    values = [cell for cell in last[1:] if cell]
    if not values or not all(_is_value(cell) for cell in values) or not last[0]:
        return None
    if any(_is_value(cell) for cell in upper[1:] if cell) or not any(upper):
        return None
    return upper, last


def _may_be_stacked(texts: Sequence[str]) -> bool:
    """Whether a cell holds several values: a quick look before the lines are found by place."""
    return any(len(parts := text.split()) > 1 and all(map(_is_value, parts)) for text in texts)


def _stacked_rows(
    cells: Sequence[list[TextLine]], texts: Sequence[str]
) -> list[tuple[str, ...]] | None:
    """Part a row whose cells hold the values of several rows on top of each other.

    Cells with one line belong to all of them (a merged cell); None when it is one row.
    """
    heights = {len(lines) for lines in cells if len(lines) > 1}
    if len(heights) != 1:
        return None
    height = heights.pop()
    stacked = [lines for lines in cells if len(lines) == height]
    valued = [lines for lines in stacked if all(_is_value(line.text) for line in lines)]
    if len(stacked) < 2 or len(valued) * 2 < len(stacked) or not _aligned(stacked):
        return None
    return [
        tuple(
            lines[number].text if len(lines) == height else text
            for lines, text in zip(cells, texts, strict=True)
        )
        for number in range(height)
    ]


def _aligned(stacked: Sequence[list[TextLine]]) -> bool:
    return all(
        max(line.middle for line in level) - min(line.middle for line in level) < _SAME_LINE_POINTS
        for level in zip(*stacked, strict=True)
    )


def _is_value(text: str) -> bool:
    return _VALUE.fullmatch(text.strip()) is not None
