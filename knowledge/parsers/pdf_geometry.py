"""Lines and rectangles of a PDF page, as the layout parser sees them: points from the top left."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from liteparse import AnnotationRect

from knowledge.parsers.contract import Box
from knowledge.parsers.pdf_layout import ParsedPage, TextItem

_WIDE_GAP = 2.5
"""In heights of the text: what divides cells rather than words."""
_BY_MIDDLE, _BY_LEFT = attrgetter("middle"), attrgetter("x")


@dataclass(frozen=True)
class TextLine:
    """Items on one base line, left to right."""

    items: tuple[TextItem, ...]

    @property
    def text(self) -> str:
        return " ".join(" ".join(item.text for item in self.items).split())

    @property
    def middle(self) -> float:
        return self.items[0].middle

    def cells(self) -> list[list[TextItem]]:
        """Divide the line where its gaps are too wide for words."""
        cells: list[list[TextItem]] = []
        for item in self.items:
            last = cells[-1][-1] if cells else None
            if last and item.x - (last.x + last.width) < _WIDE_GAP * max(last.height, 1.0):
                cells[-1].append(item)
            else:
                cells.append([item])
        return cells


class PageText:
    """The text items of a page, found by place."""

    def __init__(self, page: ParsedPage) -> None:
        self.width, self.height = page.width or 1.0, page.height or 1.0
        self._items = sorted(
            [item for item in page.text_items if not item.text.isspace() and item.text],
            key=_BY_MIDDLE,
        )
        self._middles = [item.middle for item in self._items]
        heights = sorted(
            [item.height if item.height < item.width else item.width for item in self._items]
        )
        self.line_height = heights[len(heights) // 2] if heights else 0.0

    def items_in(self, area: AnnotationRect | None) -> list[TextItem]:
        """Return the items whose centre lies in `area`."""
        if area is None:
            return []
        first = bisect_left(self._middles, area.y - 1)
        last = bisect_left(self._middles, area.y + area.height + 1)
        left, right = area.x - 1, area.x + area.width + 1
        return [
            item for item in self._items[first:last] if left <= item.x + item.width / 2 <= right
        ]

    def lines_in(self, area: AnnotationRect | None) -> list[TextLine]:
        """Return the lines in `area`, top to bottom."""
        return group_lines(self.items_in(area))

    def box(self, area: AnnotationRect | None, *, turned: int = 0) -> Box | None:
        """Return `area` in fractions of the page as it is shown.

        `turned` is the clockwise angle of the content that was undone before parsing.
        """
        if area is None:
            return None
        left, right = _fraction(area.x, self.width), _fraction(area.x + area.width, self.width)
        top, bottom = _fraction(area.y, self.height), _fraction(area.y + area.height, self.height)
        if turned == 90:
            left, top, right, bottom = 1 - bottom, left, 1 - top, right
        elif turned == 180:
            left, top, right, bottom = 1 - right, 1 - bottom, 1 - left, 1 - top
        elif turned == 270:
            left, top, right, bottom = top, 1 - right, bottom, 1 - left
        return Box(left=left, top=top, right=right, bottom=bottom)


def group_lines(items: Iterable[TextItem]) -> list[TextLine]:
    """Group items by base line; they may come in any order."""
    lines: list[list[TextItem]] = []
    for item in sorted(items, key=_BY_MIDDLE):
        if lines and item.middle - lines[-1][0].middle < 0.5 * max(item.height, 1.0):
            lines[-1].append(item)
        else:
            lines.append([item])
    return [
        TextLine(tuple(line if len(line) == 1 else sorted(line, key=_BY_LEFT))) for line in lines
    ]


def union(areas: Sequence[AnnotationRect | None]) -> AnnotationRect | None:
    """Return the rectangle around all `areas`."""
    known = [area for area in areas if area is not None]
    if not known:
        return None
    left, top = min(area.x for area in known), min(area.y for area in known)
    right = max(area.x + area.width for area in known)
    bottom = max(area.y + area.height for area in known)
    return AnnotationRect(x=left, y=top, width=right - left, height=bottom - top)


def _fraction(value: float, whole: float) -> float:
    return min(max(value / whole, 0.0), 1.0)
