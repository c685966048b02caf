"""The layout parser's pages, with only what we use of them taken over into Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from liteparse import AnnotationRect, LayoutBlock, LayoutCell, LiteParse

from knowledge.parsers.pdf_checks import MAX_PAGES


@dataclass(slots=True)
class TextItem:
    """A run of text on a page, in points from the top left."""

    text: str
    x: float
    y: float
    width: float
    height: float
    font_name: str | None = None
    rotation: float = 0.0
    """In degrees."""
    middle: float = 0.0
    """Of its height: where its line runs. Items are sorted by it again and again."""


@dataclass(frozen=True)
class ParsedPage:
    """What the layout parser found on a page."""

    page_num: int
    width: float
    height: float
    text: str
    text_items: list[TextItem]
    blocks: list[LayoutBlock] | None = None


def read_layout(
    content: bytes, *, turned: dict[int, int], wanted: str | None
) -> dict[int, ParsedPage]:
    """Return pages by number; none when the file is beyond the layout parser.

    Args:
        content: the file.
        turned: by page, the angle by which it is turned before it is read.
        wanted: pages to read, as "1,3"; None for all.
    """
    parser = LiteParse(
        ocr_enabled=False,
        output_format="json",
        quiet=True,
        num_workers=1,
        max_pages=MAX_PAGES,
        target_pages=wanted,
        continue_on_page_error=True,
        extract_blocks=True,
        extract_links=False,
        emit_word_boxes=False,
        page_orientation_corrections=list(turned.items()),
    )
    try:
        # `parser.parse` copies twenty fields of each word, of which we use seven: a tenth of the time.
        return {page.page_num: _page(page) for page in parser._native.parse_bytes(content).pages}
    except Exception:  # noqa: BLE001 - the Rust side raises RuntimeError, ValueError and its own
        # Every page falls back to plain text then.
        return {}


def _page(native: Any) -> ParsedPage:
    return ParsedPage(
        page_num=native.page_num,
        width=native.width,
        height=native.height,
        text=native.text,
        text_items=[_item(each) for each in native.text_items],
        blocks=None if native.blocks is None else [_block(each) for each in native.blocks],
    )


# What follows gives arguments by place: twice as fast as by name, for tens of thousands of them.


def _item(native: Any) -> TextItem:
    y, height = native.y, native.height
    return TextItem(
        *(native.text, native.x, y, native.width, height, native.font_name, native.rotation),
        y + height / 2,
    )


def _block(native: Any) -> LayoutBlock:
    header, rows = native.header, native.rows
    return LayoutBlock(
        kind=native.kind,
        text=native.text,
        level=native.level,
        ordered=native.ordered,
        marker=native.marker,
        lines=native.lines,
        lang=native.lang,
        header=None if header is None else [_cell(cell) for cell in header],
        rows=None if rows is None else [[_cell(cell) for cell in row] for row in rows],
        bbox=_area(native.bbox),
    )


def _cell(native: Any) -> LayoutCell:
    return LayoutCell(native.text, _area(native.bbox))


def _area(native: Any) -> AnnotationRect | None:
    if native is None:
        return None
    return AnnotationRect(native.x, native.y, native.width, native.height)
