"""Word 97-2003: styles, and the properties that stand beside paragraphs and runs of text.

Layout of the tables after Microsoft's open specification [MS-DOC]: a "bin table" maps stretches of
the WordDocument stream to pages of 512 bytes, each with properties of some stretches.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_PAGE = 512
_SIZE_BY_KIND = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
"""Bytes of an operand by the upper three bits of its code; 6 is of any length."""
_TABLE_DEFINITION, _CHANGED_TABS = 0xD608, 0xC615
_IN_TABLE, _ROW_END, _DEPTH = 0x2416, 0x2417, 0x6649
_INNER_CELL, _INNER_ROW_END = 0x244B, 0x244C
_LIST, _LIST_LEVEL, _OUTLINE = 0x460B, 0x260A, 0x2640
_DELETED, _VANISH = 0x0800, 0x083C
_MAX_STYLES = 4_095
_HEADINGS = range(1, 10)
_TITLE = 62


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """What is known of a paragraph besides its text."""

    style: int = 0
    depth: int = 0
    """Tables around it."""
    ends_row: bool = False
    ends_cell: bool = False
    """Of a table inside of a table, where no special character says it."""
    list_level: int | None = None
    outline: int | None = None


@dataclass(frozen=True)
class Stretches:
    """Properties by stretches of the stream."""

    starts: list[int]
    ends: list[int]
    grpprls: list[bytes]

    def at(self, place: int) -> bytes:
        """Return the properties at an offset."""
        number = bisect_right(self.starts, place) - 1
        return self.grpprls[number] if number >= 0 and place < self.ends[number] else b""


def read_stretches(document: bytes, bin_table: bytes, *, of_paragraphs: bool) -> Stretches:
    """Return the stretches of a bin table, in the order of the stream."""
    found: list[tuple[int, int, bytes]] = []
    count = max((len(bin_table) - 4) // 8, 0)
    for number in range(count):
        page = _u32(bin_table, 4 * (count + 1) + 4 * number) & 0x3FFFFF
        found += _page_of(document[page * _PAGE : (page + 1) * _PAGE], of_paragraphs)
    found.sort(key=lambda stretch: stretch[0])
    return (
        Stretches(*(list(column) for column in zip(*found, strict=True)))
        if found
        else Stretches([], [], [])
    )


def _page_of(page: bytes, of_paragraphs: bool) -> Iterator[tuple[int, int, bytes]]:
    if len(page) < _PAGE:
        return
    count, width = page[-1], 13 if of_paragraphs else 1
    for number in range(count):
        entry = 4 * (count + 1) + width * number
        if entry >= _PAGE:
            return
        place = page[entry] * 2
        properties = b""
        if place:
            size = page[place]
            if not of_paragraphs:
                properties = page[place + 1 : place + 1 + size]
            elif size:
                properties = page[place + 1 : place + 2 * size]
            else:
                size = page[place + 1] if place + 1 < _PAGE else 0
                properties = page[place + 2 : place + 2 + 2 * size]
        yield _u32(page, 4 * number), _u32(page, 4 * number + 4), properties


def paragraph_of(papx: bytes) -> Paragraph:
    """Read the properties of a paragraph: its style, then changes to it."""
    if len(papx) < 2:
        return Paragraph()
    codes = dict(_changes(papx[2:]))
    in_list = bool(_operand(codes, _LIST))
    depth = _operand(codes, _DEPTH) or _operand(codes, _IN_TABLE)
    return Paragraph(
        style=_u16(papx, 0),
        depth=min(depth, 8),
        ends_row=bool(_operand(codes, _ROW_END) or _operand(codes, _INNER_ROW_END)),
        ends_cell=bool(_operand(codes, _INNER_CELL)),
        list_level=min(_operand(codes, _LIST_LEVEL), 8) if in_list else None,
        outline=_operand(codes, _OUTLINE) if _OUTLINE in codes else None,
    )


def is_unseen(chpx: bytes) -> bool:
    """Say whether a run is hidden or was deleted while changes were tracked."""
    codes = dict(_changes(chpx))
    return bool(_operand(codes, _VANISH) & 1 or _operand(codes, _DELETED) & 1)


def heading_levels(sheet: bytes) -> dict[int, int]:
    """Return the level of each style that is a heading or is based on one."""
    if len(sheet) < 6:
        return {}
    kinds: dict[int, tuple[int, int]] = {}
    count, base_size = _u16(sheet, 2), _u16(sheet, 4)
    place = 2 + _u16(sheet, 0)
    for number in range(min(count, _MAX_STYLES)):
        size = _u16(sheet, place)
        if size >= max(base_size, 4):
            kinds[number] = (_u16(sheet, place + 2) & 0xFFF, _u16(sheet, place + 4) >> 4)
        place += 2 + size + size % 2
    levels = {number: _level(number, kinds) for number in kinds}
    return {number: level for number, level in levels.items() if level}


def _level(number: int, kinds: dict[int, tuple[int, int]]) -> int:
    """Follow the styles that a style is based on, at most ten steps."""
    for _ in range(10):
        kind, base = kinds.get(number, (0, 0xFFF))
        if kind == _TITLE:
            return 1
        if kind in _HEADINGS:
            return kind
        number = base
    return 0


def _changes(grpprl: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while place + 2 < len(grpprl):
        code = _u16(grpprl, place)
        place += 2
        size = _SIZE_BY_KIND.get(code >> 13)
        if size is None:
            if code == _TABLE_DEFINITION:
                size, place = max(_u16(grpprl, place) - 1, 0), place + 2
            elif code == _CHANGED_TABS and grpprl[place] == 255:
                return  # only ever the last one
            else:
                size, place = grpprl[place], place + 1
        yield code, grpprl[place : place + size]
        place += size


def _operand(codes: dict[int, bytes], code: int) -> int:
    return int.from_bytes(codes.get(code, b""), "little")


def _u16(data: bytes, place: int) -> int:
    return int(struct.unpack_from("<H", data, place)[0]) if 0 <= place <= len(data) - 2 else 0


def _u32(data: bytes, place: int) -> int:
    return int(struct.unpack_from("<I", data, place)[0]) if 0 <= place <= len(data) - 4 else 0
