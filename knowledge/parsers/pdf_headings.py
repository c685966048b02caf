"""Headings of a PDF: levels from 1 without gaps, numbered ones found inside paragraphs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from liteparse import LayoutBlock

from knowledge.parsers.pdf_geometry import PageText, TextLine
from knowledge.parsers.pdf_layout import TextItem

_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+[^\W\d_]")
_BOLD = re.compile(r"bold|black|heavy|semi|demi|bx\d|bx$|medi", re.I)
_MAX_HEADING_CHARACTERS = 150
_MAX_COVER_BLOCKS = 14
_MAX_COVER_CHARACTERS = 500
_COVER_SIZE_RATIO = 1.25


def numbering_depth(text: str) -> int:
    """Return 2 for "1.1 Scope", 0 for a title without number."""
    found = _NUMBERED.match(text)
    return found.group(1).count(".") + 1 if found else 0


def is_plausible(text: str) -> bool:
    """Say whether a heading could be one: not a stray letter, not a paragraph."""
    letters = sum(character.isalpha() for character in text)
    return letters >= 2 and len(text) <= _MAX_HEADING_CHARACTERS


def level_map(blocks: Iterable[LayoutBlock]) -> dict[int, int]:
    """Map the levels that a document uses to 1, 2, 3 and so on."""
    used = sorted({block.level for block in blocks if block.kind == "heading" and block.level})
    return {level: rank for rank, level in enumerate(used, start=1)}


def heading_level(text: str, level: int) -> int:
    """Return the level, held down by the depth of the numbering: 1.1 is not above level 2."""
    return max(level, numbering_depth(text))


def split_at_numbered_headings(block: LayoutBlock, text: PageText) -> list[tuple[bool, str]]:
    """Cut a paragraph at its numbered lines in another font: (is heading, text) in order."""
    whole = block.text or ""
    if not re.search(r"\d", whole):
        return [(False, whole)]
    parts: list[tuple[bool, str]] = []
    rest = whole
    lines = text.lines_in(block.bbox)
    body = _main_font(item for line in lines for item in line.items)
    for line in lines:
        if not _stands_out(line, body):
            continue
        words = [re.escape(word) for word in line.text.split()]
        found = re.search(r"[*_]{0,3}" + r"[\s*_]+".join(words) + r"[*_]{0,3}", rest)
        if found:
            parts += [(False, rest[: found.start()]), (True, line.text)]
            rest = rest[found.end() :]
    parts.append((False, rest))
    return [(is_heading, part.strip()) for is_heading, part in parts if part.strip()]


def cover_titles(blocks: list[LayoutBlock], text: PageText) -> set[int]:
    """Return the places of the largest lines on a page of few short lines without headings."""
    lines = [(place, block) for place, block in enumerate(blocks) if block.text]
    if any(block.kind == "heading" for block in blocks) or not lines:
        return set()
    if len(lines) > _MAX_COVER_BLOCKS or any(block.kind == "table" for block in blocks):
        return set()
    if sum(len(block.text or "") for _, block in lines) > _MAX_COVER_CHARACTERS:
        return set()
    sizes = {place: _size(text.items_in(block.bbox)) for place, block in lines}
    largest, smallest = max(sizes.values()), min(sizes.values())
    if smallest <= 0 or largest / smallest < _COVER_SIZE_RATIO:
        return set()
    return {
        place
        for place, block in lines
        if sizes[place] > 0.95 * largest and is_plausible(block.text or "")
    }


def _stands_out(line: TextLine, body: str) -> bool:
    fonts = {item.font_name or "" for item in line.items}
    if body in fonts or not _NUMBERED.match(line.text) or line.text.endswith((".", ",", ";")):
        return False
    return is_plausible(line.text) and all(_BOLD.search(font) for font in fonts)


def _main_font(items: Iterable[TextItem]) -> str:
    fonts: Counter[str] = Counter()
    for item in items:
        fonts[item.font_name or ""] += len(item.text)
    return fonts.most_common(1)[0][0] if fonts else ""


def _size(items: Iterable[TextItem]) -> float:
    """The size of the tallest item: heights grow with the script, so the largest is the truth."""
    return max((item.height for item in items), default=0.0)
