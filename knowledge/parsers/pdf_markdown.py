"""One page of a PDF as Markdown blocks with their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from liteparse import AnnotationRect, LayoutBlock

from knowledge.parsers.cjk import join_wide_text
from knowledge.parsers.contract import Block
from knowledge.parsers.markdown_writer import drop_empty_edges, fence, heading, table
from knowledge.parsers.pdf_checks import Rectangle
from knowledge.parsers.pdf_geometry import PageText, TextLine, union
from knowledge.parsers.pdf_headings import (
    cover_titles,
    heading_level,
    is_plausible,
    split_at_numbered_headings,
)
from knowledge.parsers.pdf_layout import ParsedPage
from knowledge.parsers.pdf_tables import GridTable, looks_like_values, read_table, table_of_lines

_HIDDEN_SHARE = 0.7


@dataclass
class RunningTable:
    """The table that the page before ended with, so that its header can be repeated."""

    header: tuple[str, ...] = ()


class PageWriter:
    """Writes one page."""

    def __init__(
        self,
        page: ParsedPage,
        *,
        levels: dict[int, int],
        turned: int,
        hidden: Sequence[Rectangle],
        running: RunningTable,
    ) -> None:
        self._page = page
        self._text = PageText(page)
        self._levels = levels
        self._turned = turned
        self._hidden = hidden if turned == 0 else ()
        self._running = running

    def write(self) -> list[Block]:
        """Return the blocks of the page in reading order."""
        layout = [
            block for block in self._page.blocks or [] if block.kind not in {"rule", "figure"}
        ]
        covers = cover_titles(layout, self._text)
        header_before, self._running.header = self._running.header, ()
        blocks: list[Block] = []
        place = 0
        while place < len(layout):
            block = layout[place]
            after = place + 1
            if block.kind == "list_item":
                while after < len(layout) and layout[after].kind == "list_item":
                    after += 1
                blocks += self._visible_or_hidden(self._list(layout[place:after]))
            elif place in covers:
                blocks += self._visible_or_hidden([self._block(heading(_plain(block), 1), block)])
            elif block.kind == "table":
                before = header_before if place == 0 else ()
                blocks += self._visible_or_hidden(self._table(block, before))
            else:
                blocks += self._visible_or_hidden(self._other(block))
            place = after
            if block.kind != "table":
                self._running.header = ()
        return blocks

    def _other(self, block: LayoutBlock) -> list[Block]:
        if block.kind == "heading":
            return [self._heading(block)]
        if block.kind in {"code", "grid_fallback"}:
            text = "\n".join(block.lines or [])
            return [self._block(fence(text, block.lang or ""), block)] if text.strip() else []
        return list(self._paragraph(block))

    def _heading(self, block: LayoutBlock) -> Block:
        text = _plain(block)
        if not is_plausible(text):
            return self._block(text, block)
        level = self._levels.get(block.level or 1, 1)
        return self._block(heading(text, heading_level(text, level)), block)

    def _paragraph(self, block: LayoutBlock) -> Iterator[Block]:
        lines = self._text.lines_in(block.bbox)
        grid = table_of_lines(lines)
        if grid:
            yield self._block(table(grid.as_rows()), block)
            return
        for is_heading, part in split_at_numbered_headings(block, self._text):
            text = join_wide_text(part)
            yield self._block(heading(text, heading_level(text, 1)) if is_heading else text, block)

    def _list(self, items: Sequence[LayoutBlock]) -> list[Block]:
        lines = []
        for item in items:
            marker = (item.marker or "1.") if item.ordered else "-"
            lines.append("  " * max((item.level or 0), 0) + f"{marker} {_plain(item)}")
        area = union([item.bbox for item in items])
        return [self._block("\n".join(lines), replace(items[0], bbox=area))]

    def _table(self, block: LayoutBlock, header_before: tuple[str, ...]) -> list[Block]:
        grid = read_table(block, self._text)
        if grid.width == 1:
            lines = [row[0] for row in (grid.header, *grid.rows) if row and row[0].strip()]
            return [self._block("\n".join(lines), block)] if lines else []
        if _goes_on(grid, header_before):
            grid = GridTable(header_before, (grid.header, *grid.rows) if grid.header else grid.rows)
        self._running.header = grid.header
        rows = [[join_wide_text(cell) for cell in row] for row in grid.as_rows()]
        if not grid.header:
            rows = [[""] * grid.width, *drop_empty_edges(rows)]
        return [self._block(table(rows), block)]

    def _block(self, markdown: str, source: LayoutBlock) -> Block:
        return Block(
            markdown=markdown,
            page=self._page.page_num,
            box=self._text.box(source.bbox, turned=self._turned),
        )

    def _visible_or_hidden(self, blocks: Sequence[Block]) -> Iterator[Block]:
        """Flag blocks that lie in invisible text; part those that mix it with visible text."""
        for block in blocks:
            if not self._hidden or block.box is None:
                yield block
                continue
            area = AnnotationRect(
                x=block.box.left * self._text.width,
                y=block.box.top * self._text.height,
                width=(block.box.right - block.box.left) * self._text.width,
                height=(block.box.bottom - block.box.top) * self._text.height,
            )
            items = self._text.items_in(area)
            unseen = [
                item for item in items if self._is_hidden(item.x, item.y, item.width, item.height)
            ]
            if not unseen:
                yield block
            elif sum(len(item.text) for item in unseen) >= _HIDDEN_SHARE * sum(
                len(item.text) for item in items
            ):
                yield replace(block, hidden=True)
            else:
                yield from _parted(block, TextLine(tuple(unseen)))

    def _is_hidden(self, x: float, y: float, width: float, height: float) -> bool:
        across, down = x + width / 2, y + height / 2
        return any(
            left - 1 <= across <= right + 1 and top - 1 <= down <= bottom + 1
            for left, top, right, bottom in self._hidden
        )


def _parted(block: Block, unseen: TextLine) -> Iterator[Block]:
    visible, taken = block.markdown, []
    for item in unseen.items:
        text = item.text.strip()
        if len(text) > 2 and text in visible:
            visible = visible.replace(text, "", 1)
            taken.append(text)
    yield replace(block, markdown=visible)
    if taken:
        yield replace(block, markdown=" ".join(taken), hidden=True)


def _plain(block: LayoutBlock) -> str:
    return join_wide_text(" ".join((block.text or "").split()))


def _goes_on(grid: GridTable, header_before: tuple[str, ...]) -> bool:
    """Say whether a table at the top of a page is the rest of the one above."""
    if not header_before or grid.width != len(header_before) or grid.header == header_before:
        return False
    return not grid.header or looks_like_values(grid.header)
