"""Lines of OCR put together: columns, table rows and paragraphs, in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.parsers.cjk import join_wide_text
from knowledge.parsers.contract import Block, Box
from knowledge.parsers.markdown_writer import table

_COLUMN_GAP = 0.5
"""In line heights: the least gap between columns."""
_PARAGRAPH_GAP = 0.9
_SAME_ROW = 0.5
_FULL_LINE = 0.7
"""Lines of running text fill most of their column; cells of a table do not."""
_LONG_LINE = 10.0
"""In line heights: columns of text are wider than that, columns of a table rarely."""
_MAX_DEPTH = 12


@dataclass(frozen=True, kw_only=True)
class OcrLine:
    """A line of text in pixels."""

    left: float
    top: float
    right: float
    bottom: float
    text: str

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def is_upright(self) -> bool:
        """Written from top to bottom, as in Japanese books and along edges."""
        return self.height > 2 * self.width and len(self.text) > 1

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


def arrange(lines: Sequence[OcrLine], *, page: int, width: int, height: int) -> tuple[Block, ...]:
    """Return paragraphs and tables in reading order, with boxes."""
    blocks: list[Block] = []
    upright = [line for line in lines if line.is_upright]
    if len(upright) * 2 > len(lines):
        groups = [upright, *_regions([line for line in lines if not line.is_upright], 0)]
    else:
        # Stamps along the edge would join everything beside them.
        groups = [*_regions([line for line in lines if not line.is_upright], 0), upright]
    for group in filter(None, groups):
        for markdown, members in _write(group):
            box = Box(
                left=_share(min(line.left for line in members), width),
                top=_share(min(line.top for line in members), height),
                right=_share(max(line.right for line in members), width),
                bottom=_share(max(line.bottom for line in members), height),
            )
            blocks.append(Block(markdown=markdown, page=page, box=box))
    return tuple(blocks)


def _share(value: float, whole: int) -> float:
    return min(max(value / whole, 0.0), 1.0)


def _regions(lines: list[OcrLine], depth: int) -> list[list[OcrLine]]:
    """Cut at the gap between columns, or else at the widest gap between rows, again and again."""
    if len(lines) < 2 or depth > _MAX_DEPTH:
        return [lines] if lines else []
    sides = _cut(lines, horizontal=False, least=_COLUMN_GAP * _line_height(lines))
    if sides and any(_is_running_text(side) for side in sides):
        return [group for side in sides for group in _regions(side, depth + 1)]
    if sides and len(_rows(lines)) > 1:
        # Short pieces side by side: the rows of a table.
        return [lines]
    halves = _cut(lines, horizontal=True, least=_PARAGRAPH_GAP * _line_height(lines))
    if halves:
        return [group for half in halves for group in _regions(half, depth + 1)]
    return [lines]


def _cut(lines: list[OcrLine], *, horizontal: bool, least: float) -> list[list[OcrLine]] | None:
    """Part the lines at the widest empty stripe of at least `least` pixels."""

    def start(line: OcrLine) -> float:
        return line.top if horizontal else line.left

    def end(line: OcrLine) -> float:
        return line.bottom if horizontal else line.right

    ordered = sorted(lines, key=start)
    reach = end(ordered[0])
    widest, place = 0.0, 0
    for number, line in enumerate(ordered[1:], start=1):
        gap = start(line) - reach
        if gap > widest:
            widest, place = gap, number
        reach = max(reach, end(line))
    return [ordered[:place], ordered[place:]] if widest >= least and place else None


def _line_height(lines: Sequence[OcrLine]) -> float:
    heights = sorted(min(line.height, line.width) for line in lines)
    return heights[len(heights) // 2]


def _is_running_text(lines: Sequence[OcrLine]) -> bool:
    width = max(line.right for line in lines) - min(line.left for line in lines)
    full = sum(line.width >= _FULL_LINE * width for line in lines)
    return len(lines) > 2 and full * 2 > len(lines) and width > _LONG_LINE * _line_height(lines)


def _rows(lines: Sequence[OcrLine]) -> list[list[OcrLine]]:
    rows: list[list[OcrLine]] = []
    for line in sorted(lines, key=lambda line: line.middle):
        if rows and line.middle - rows[-1][0].middle < _SAME_ROW * line.height:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [sorted(row, key=lambda line: line.left) for row in rows]


def _write(lines: list[OcrLine]) -> list[tuple[str, list[OcrLine]]]:
    """Return the Markdown of one region and the lines that it came from."""
    if lines[0].is_upright:
        ordered = sorted(lines, key=lambda line: -line.right)
        return [("".join(line.text for line in ordered), ordered)]
    rows = _rows(lines)
    if sum(len(row) > 1 for row in rows) * 2 > len(rows) and len(rows) > 1:
        cells = _cells(rows)
        if len(cells[0]) > 1:
            return [(table(cells), lines)]
    paragraphs: list[list[list[OcrLine]]] = []
    for row in rows:
        above = paragraphs[-1][-1] if paragraphs else None
        if above and row[0].top - max(line.bottom for line in above) < (
            _PARAGRAPH_GAP * row[0].height
        ):
            paragraphs[-1].append(row)
        else:
            paragraphs.append([row])
    return [
        (_joined(paragraph), [line for row in paragraph for line in row])
        for paragraph in paragraphs
    ]


def _joined(rows: Sequence[Sequence[OcrLine]]) -> str:
    """Join rows to one paragraph; a hyphen at the end of a row goes with its break."""
    text = ""
    for row in rows:
        line = " ".join(part.text.strip() for part in row)
        if text.endswith("-") and line[:1].islower():
            text = text[:-1] + line
        else:
            text = f"{text}\n{line}" if text else line
    return join_wide_text(text).replace("\n", " ")


def _cells(rows: Sequence[Sequence[OcrLine]]) -> list[list[str]]:
    """Put the lines of rows under columns that they overlap."""
    columns: list[tuple[float, float]] = []
    for left, right in sorted((line.left, line.right) for row in rows for line in row):
        if columns and left < columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    grid: list[list[str]] = []
    for row in rows:
        cells = [""] * len(columns)
        for line in row:
            place = next(n for n, (_, right) in enumerate(columns) if line.left < right)
            cells[place] = f"{cells[place]} {line.text}".strip()
        grid.append(cells)
    return grid
