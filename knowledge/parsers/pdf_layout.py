"""The layout parser's pages, with only what we use of them taken over into Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from liteparse import LayoutBlock, LiteParse
from liteparse.parser import _convert_block

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
        text_items=[
            # By place: twice as fast as by name, for tens of thousands of items.
            TextItem(
                item.text, item.x, item.y, item.width, item.height, item.font_name, item.rotation
            )
            for item in native.text_items
        ],
        blocks=None if native.blocks is None else [_convert_block(each) for each in native.blocks],
    )
