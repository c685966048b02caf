"""Word 97-2003: the text in its pieces, cut into paragraphs with their properties.

The file keeps the text in one long row of characters: body, notes, headers, comments, end notes,
text boxes. A piece table says where in the stream, and in which width, each stretch of it stands.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.parsers.containers import PROTECTED
from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.doc_properties import (
    Paragraph,
    Stretches,
    heading_levels,
    is_unseen,
    paragraph_of,
    read_stretches,
)
from knowledge.parsers.ole import Streams

_MAGIC, _OLDER_MAGICS = 0xA5EC, frozenset({0xA5DC, 0xA59B, 0xA59C, 0xA5DB})
_FIRST_READ_VERSION = 0xC1
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
_COUNTS = {"body": 0x4C, "notes": 0x50, "headers": 0x54, "macros": 0x58, "comments": 0x5C}
_LATER_COUNTS = {"end notes": 0x60, "boxes": 0x64, "header boxes": 0x68}
_STYLES, _RUNS, _PARAGRAPHS, _PIECES = 1, 12, 13, 33
_NOTE_PLACES, _END_NOTE_PLACES = 2, 46
_NARROW = 0x40000000
_ENDS = re.compile("[\r\x07\x0c]")
_MAX_PIECES = 200_000


@dataclass(frozen=True, kw_only=True)
class TextLine:
    """One paragraph: its visible text, what nobody sees, its end mark and properties."""

    text: str
    hidden: str
    end: str
    properties: Paragraph


@dataclass(frozen=True)
class _Piece:
    first: int
    last: int
    place: int
    width: int


class WordText:
    """The text of a document by its parts."""

    def __init__(self, streams: Streams) -> None:
        """Read all tables.

        Raises:
            ParseRefused: encrypted, damaged, or older than Word 97.
        """
        self._stream = streams.read("WordDocument")
        flags = self._number(0x0A, "<H")
        self._check(flags)
        self._table = streams.read("1Table" if flags & _SECOND_TABLE else "0Table")
        self._pieces = list(self._read_pieces())
        self._starts = [piece.first for piece in self._pieces]
        self.levels = heading_levels(self._part(_STYLES))
        self._paragraphs = self._stretches(_PARAGRAPHS, of_paragraphs=True)
        self._unseen = [
            (first, last)
            for first, last, chpx in zip(*_columns(self._stretches(_RUNS)), strict=True)
            if is_unseen(chpx)
        ]
        self._unseen_starts = [first for first, _ in self._unseen]
        self._offsets = self._read_offsets()
        self.text = "".join(self._text_of(piece) for piece in self._pieces)

    def notes_at(self) -> dict[int, int]:
        """Return the number of the foot or end note by the place of its mark in the body."""
        places = [*self._marks(_NOTE_PLACES), *self._marks(_END_NOTE_PLACES)]
        return {place: number for number, place in enumerate(places, start=1)}

    def lines(self, part: str) -> Iterator[tuple[int, TextLine]]:
        """Yield the paragraphs of a part with the place where each begins."""
        first, last = self._offsets[part]
        for end in _ENDS.finditer(self.text, first, last):
            yield first, self._line(first, end.start(), end.group())
            first = end.end()
        if first < last:
            yield first, self._line(first, last, "\r")

    def _line(self, first: int, last: int, end: str) -> TextLine:
        visible: list[str] = []
        hidden: list[str] = []
        for start, stop, unseen in self._runs(first, last):
            (hidden if unseen else visible).append(self.text[start:stop])
        return TextLine(
            text="".join(visible),
            hidden="".join(hidden),
            end=end,
            properties=paragraph_of(self._paragraphs.at(self._place_of(last))),
        )

    def _runs(self, first: int, last: int) -> Iterator[tuple[int, int, bool]]:
        """Divide a paragraph at the borders of what is hidden."""
        if not self._unseen:
            yield first, last, False
            return
        start = first
        while start < last:
            unseen, stop = self._is_unseen(start), start + 1
            while stop < last and self._is_unseen(stop) == unseen:
                stop += 1
            yield start, stop, unseen
            start = stop

    def _is_unseen(self, character: int) -> bool:
        place = self._place_of(character)
        number = bisect_right(self._unseen_starts, place) - 1
        return number >= 0 and place < self._unseen[number][1]

    def _place_of(self, character: int) -> int:
        """Return where in the stream a character stands."""
        number = bisect_right(self._starts, character) - 1
        if number < 0:
            return -1
        piece = self._pieces[number]
        return piece.place + (character - piece.first) * piece.width

    def _check(self, flags: int) -> None:
        magic = self._number(0, "<H")
        if magic in _OLDER_MAGICS or (
            magic == _MAGIC and self._number(2, "<H") < _FIRST_READ_VERSION
        ):
            raise ParseRefused(
                "type_unknown", "The file was made before Word 97. Save it as DOCX and upload that."
            )
        if magic != _MAGIC:
            raise ParseRefused(
                "damaged", "The Word file has no document in it. Save it anew in Word."
            )
        if flags & _ENCRYPTED:
            raise ParseRefused("encrypted", PROTECTED)

    def _read_offsets(self) -> dict[str, tuple[int, int]]:
        offsets: dict[str, tuple[int, int]] = {}
        place, end = 0, self._pieces[-1].last if self._pieces else 0
        for part, field in (_COUNTS | _LATER_COUNTS).items():
            count = min(self._number(field, "<I"), end - place)
            offsets[part] = (place, place + count)
            place += count
        return offsets

    def _read_pieces(self) -> Iterator[_Piece]:
        table = self._piece_table()
        count = max((len(table) - 4) // 12, 0)
        if not count or count > _MAX_PIECES:
            raise ParseRefused(
                "damaged", "The Word file's text cannot be found. Save it anew in Word."
            )
        borders = struct.unpack_from(f"<{count + 1}I", table)
        for number in range(count):
            coded = struct.unpack_from("<I", table, 4 * (count + 1) + 8 * number + 2)[0]
            narrow = bool(coded & _NARROW)
            place = (coded & ~_NARROW) // 2 if narrow else coded
            width = 1 if narrow else 2
            length = min(
                borders[number + 1] - borders[number],
                max(len(self._stream) - place, 0) // width,
            )
            if length > 0:
                first = borders[number]
                yield _Piece(first, first + length, place, width)

    def _piece_table(self) -> bytes:
        """Skip the properties in front of the piece table."""
        table, place = self._part(_PIECES), 0
        while place + 5 <= len(table) and table[place] == 1:
            place += 3 + struct.unpack_from("<H", table, place + 1)[0]
        if place + 5 > len(table) or table[place] != 2:
            return b""
        size = struct.unpack_from("<I", table, place + 1)[0]
        return table[place + 5 : place + 5 + size]

    def _text_of(self, piece: _Piece) -> str:
        end = piece.place + (piece.last - piece.first) * piece.width
        data = self._stream[piece.place : end]
        text = data.decode("cp1252" if piece.width == 1 else "utf-16-le", "replace")
        # Places count units, so each unit must stay one character.
        return text if len(text) == piece.last - piece.first else _by_units(data)

    def _marks(self, part: int) -> tuple[int, ...]:
        table = self._part(part)
        count = max((len(table) - 4) // 6, 0)
        return tuple(struct.unpack_from(f"<{count}I", table)) if count else ()

    def _stretches(self, part: int, *, of_paragraphs: bool = False) -> Stretches:
        return read_stretches(self._stream, self._part(part), of_paragraphs=of_paragraphs)

    def _part(self, number: int) -> bytes:
        """Return a part of the table stream by its number in the header."""
        start = self._number(0x9A + 8 * number, "<I")
        return self._table[start : start + self._number(0x9E + 8 * number, "<I")]

    def _number(self, place: int, layout: str) -> int:
        if place + struct.calcsize(layout) > len(self._stream):
            return 0
        return int(struct.unpack_from(layout, self._stream, place)[0])


def _columns(stretches: Stretches) -> tuple[list[int], list[int], list[bytes]]:
    return stretches.starts, stretches.ends, stretches.grpprls


def _by_units(data: bytes) -> str:
    """Decode unit by unit; halves of a pair stay halves until the paragraph is put together."""
    return "".join(map(chr, struct.unpack(f"<{len(data) // 2}H", data[: len(data) // 2 * 2])))


def join_halves(text: str) -> str:
    """Put surrogate halves together again."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
