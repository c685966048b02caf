"""Cutting units that are longer than a chunk: where it hurts least, by kind of unit.

A slice is a stretch of the text with what must be written around it: the header of its table,
the fence of its code.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from knowledge.ingest.units import Line, Unit, read_lines

_LIST_ITEM = re.compile(r"\n(?=[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t])")
_SENTENCE_END = re.compile(r"[。！？；!?…][\"'”’」』）)\]]*|[.!?][\"'”’)\]]*(?=\s)")
_LINE_END = re.compile(r"\n")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_CLAUSE_END = re.compile(r"[，、：,;:](?=\s|[^\x00-\x7f])|[，、：]")
_SPACE = re.compile(r"\s+")
_BREAKS = (_LIST_ITEM, _SENTENCE_END, _LINE_END, _CLAUSE_END, _SPACE)
LONGEST_PROTECTED = 7_500
"""A formula, link, picture or piece of code in a line stays whole up to here, also over the size."""
PROTECTED = re.compile(
    r"\$\$.{1,7496}?\$\$|!?\[[^\[\]\n]{0,300}\]\([^)\[\n]{0,7000}\)"
    r"|`[^`\n]{1,1000}`|https?://[!-~]{1,500}",
    re.S,
)
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_HEADER_CELL = len(" |" + " --- |" + " ")
_ROW_FRAME = len("|\n|\n|  |")


class Slice(NamedTuple):
    """Part of a unit."""

    start: int
    end: int
    prefix: str = ""
    suffix: str = ""


def cut_unit(text: str, unit: Unit, *, room: int, first_room: int) -> list[Slice]:
    """Cut `unit` into slices of at most `room` characters, the first of at most `first_room`."""
    if unit.kind == "table":
        return list(_cut_table(text, unit, room, first_room))
    if unit.kind == "code":
        return list(_cut_code(text, unit, room, first_room))
    if unit.kind == "formula" and unit.end - unit.start <= LONGEST_PROTECTED:
        return [Slice(unit.start, unit.end)]
    return [
        Slice(start, end)
        for start, end in cut_prose(text, unit.start, unit.end, room=room, first_room=first_room)
    ]


def cut_prose(
    text: str, start: int, end: int, *, room: int, first_room: int
) -> Iterator[tuple[int, int]]:
    """Yield pieces that end at list items, sentences, lines, clauses, spaces, else anywhere.

    What is protected stays whole; a piece is over the limit only where such a thing alone is.
    """
    kept = [found.span() for found in PROTECTED.finditer(text, start, end)]
    limit = first_room
    while end - start > limit:
        stop = _best_break(text, start, start + limit, kept)
        piece_end = _without_trailing_space(text, start, stop)
        if piece_end > start:
            yield start, piece_end
        start = _skip_space(text, stop, end)
        limit = room
    if start < end:
        yield start, end


def _best_break(text: str, start: int, furthest: int, kept: list[tuple[int, int]]) -> int:
    earliest = start + (furthest - start) * 2 // 5
    for pattern in _BREAKS:
        best = 0
        # One character more, so that a sentence may end exactly at the limit.
        for found in pattern.finditer(text, earliest, furthest + 1):
            place = found.start() if pattern is _SPACE else found.end()
            if place <= furthest and not _inside(place, kept):
                best = place
        if best > start:
            return best
    span = _inside(furthest, kept)
    if span is None:
        return furthest
    return span[0] if span[0] > start else span[1]


def _inside(place: int, kept: list[tuple[int, int]]) -> tuple[int, int] | None:
    number = bisect_right(kept, (place, place)) - 1
    if number >= 0 and kept[number][0] < place < kept[number][1]:
        return kept[number]
    return None


def _without_trailing_space(text: str, start: int, stop: int) -> int:
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    return stop


def _skip_space(text: str, place: int, end: int) -> int:
    while place < end and text[place].isspace():
        place += 1
    return place


def overlap_start(text: str, earliest: int, start: int, overlap: int) -> int | None:
    """Return where what is repeated before `start` begins: a paragraph, a line or a sentence.

    It is as long as it may be (`overlap` characters), and whole: where nothing begins, None.
    """
    lowest = max(earliest, start - overlap)
    kept = [found.span() for found in PROTECTED.finditer(text, earliest, start)]
    for pattern in (_PARAGRAPH_END, _LINE_END, _SENTENCE_END):
        for found in pattern.finditer(text, max(0, lowest - 2), start):
            place = _skip_space(text, found.end(), start)
            if lowest <= place < start and not _inside(place, kept):
                return place
    return None


def _cut_code(text: str, unit: Unit, room: int, first_room: int) -> Iterator[Slice]:
    """Pack whole lines; every slice opens and closes the fence."""
    lines = read_lines(text, unit.start, unit.end)
    mark = lines[0].text.strip()
    mark = mark[: len(mark) - len(mark.lstrip(mark[0]))]
    opening = lines[0].text + "\n" if len(lines[0].text) <= room // 4 else mark + "\n"
    closing = "\n" + mark
    prefix, start, end = "", unit.start, lines[0].end
    limit = first_room - len(closing)
    for line in lines[1:]:
        if line.end - start + len(prefix) <= limit or (
            line is lines[-1] and line.end - start + len(prefix) <= limit + len(closing)
        ):
            end = line.end
            continue
        if end > lines[0].end or start != unit.start:
            yield Slice(start, end, prefix, closing)
            prefix, start = opening, line.start
        limit = room - len(closing)
        for piece_start, piece_end in _hard_pieces(start, line.end, limit - len(opening)):
            if piece_end < line.end:
                yield Slice(piece_start, piece_end, prefix, closing)
                prefix = opening
            else:
                start, end = piece_start, piece_end
    yield Slice(start, end, prefix, "")


def _hard_pieces(start: int, end: int, room: int) -> Iterator[tuple[int, int]]:
    for place in range(start, end, max(room, 1)):
        yield place, min(place + room, end)


def _cut_table(text: str, unit: Unit, room: int, first_room: int) -> Iterator[Slice]:
    """Pack whole rows under the repeated header; rows that do not fit are cut between cells."""
    lines = read_lines(text, unit.start, unit.end)
    header = text[unit.start : lines[1].end] + "\n"
    if len(header) > room // 2:
        yield from _cut_wide_table(text, lines, room)
        return
    open_slice: Slice | None = Slice(unit.start, lines[1].end)
    limit = first_room
    for row in lines[2:]:
        if open_slice and len(open_slice.prefix) + row.end - open_slice.start <= limit:
            open_slice = open_slice._replace(end=row.end)
            continue
        if open_slice:
            yield open_slice
        limit = room
        if len(header) + row.end - row.start <= room:
            open_slice = Slice(row.start, row.end, header)
        else:
            yield from _cut_row(text, _names(lines[0], room), row, room)
            open_slice = None
    if open_slice:
        yield open_slice


def _cut_wide_table(text: str, lines: list[Line], room: int) -> Iterator[Slice]:
    """A table whose header alone fills half a chunk: every row goes by groups of columns."""
    yield from _cut_row(text, None, lines[0], room)
    names = _names(lines[0], room)
    for row in lines[2:]:
        yield from _cut_row(text, names, row, room)


def _names(header: Line, room: int) -> list[str]:
    """Return the names of the columns; one that would fill the chunk is left out."""
    names = [header.text[start:end].strip() for start, end in _cells(header.text)]
    return [name if len(name) <= room // 3 else "" for name in names]


def _cut_row(text: str, names: list[str] | None, row: Line, room: int) -> Iterator[Slice]:
    """Cut one row into groups of cells, each under the same cells of the header."""
    group: list[tuple[int, int]] = []
    group_names: list[str] = []
    used = 0
    for column, (start, end) in enumerate(_cells(row.text)):
        start = _skip_space(text, row.start + start, row.start + end)
        end = _without_trailing_space(text, start, row.start + end)
        name = names[column] if names and column < len(names) else ""
        cost = len(name) + _HEADER_CELL if names else 0
        if group and end - group[0][0] + used + cost + _ROW_FRAME > room:
            yield _row_slice(group, group_names, named=names is not None)
            group, group_names, used = [], [], 0
        if end - start + cost + _ROW_FRAME > room:
            yield from _cut_cell(text, start, end, name, room, named=names is not None)
            continue
        group.append((start, end))
        group_names.append(name)
        used += cost
    if group:
        yield _row_slice(group, group_names, named=names is not None)


def _cells(row: str) -> list[tuple[int, int]]:
    borders = [found.start() for found in _CELL_BORDER.finditer(row)]
    first = 0 if not borders or row[: borders[0]].strip() else borders.pop(0) + 1
    ends = [*borders, len(row)]
    if borders and not row[borders[-1] + 1 :].strip():
        ends.pop()
    starts = [first, *(end + 1 for end in ends[:-1])]
    return list(zip(starts, ends, strict=True))


def _row_slice(group: list[tuple[int, int]], names: list[str], *, named: bool) -> Slice:
    head = f"| {' | '.join(names)} |\n|{' --- |' * len(names)}\n| " if named else "| "
    return Slice(group[0][0], group[-1][1], head, " |")


def _cut_cell(text: str, start: int, end: int, name: str, room: int, *, named: bool) -> list[Slice]:
    head = f"| {name} |\n| --- |\n| " if named else "| "
    inner = room - len(head) - len(" |")
    return [
        Slice(piece_start, piece_end, head, " |")
        for piece_start, piece_end in cut_prose(text, start, end, room=inner, first_room=inner)
    ]
