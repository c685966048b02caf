"""PowerPoint 97-2003: the records of the main stream, after Microsoft's specification [MS-PPT].

A record is a header of eight bytes (version and instance, type, length) and its body; records of
version 15 hold other records. Edits are appended: the newest offset of an object counts.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

USER_EDIT, PERSIST_DIRECTORY = 4085, 6002
_HEADER = struct.Struct("<HHI")
_CONTAINER = 0xF
_MAX_EDITS, _MAX_OBJECTS = 1_000, 100_000
_MAX_RECORDS = 2_000_000


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its kind and where its body lies."""

    kind: int
    instance: int
    is_container: bool
    start: int
    end: int


class Records:
    """The stream and the objects in it."""

    def __init__(self, stream: bytes) -> None:
        self._stream = stream
        self._left = _MAX_RECORDS

    def body(self, record: Record) -> bytes:
        """Return the bytes of a record."""
        return self._stream[record.start : record.end]

    def at(self, offset: int) -> Record | None:
        """Return the record that begins at `offset`."""
        if not 0 <= offset <= len(self._stream) - _HEADER.size:
            return None
        version, kind, size = _HEADER.unpack_from(self._stream, offset)
        start = offset + _HEADER.size
        end = min(start + size, len(self._stream))
        return Record(kind, version >> 4, version & 0xF == _CONTAINER, start, end)

    def children(self, parent: Record) -> Iterator[Record]:
        """Yield the records directly inside of one."""
        place = parent.start
        while self._left > 0 and (child := self.at(place)) and child.start <= parent.end:
            self._left -= 1
            yield child
            place = child.end

    def first(self, parent: Record, kind: int) -> Record | None:
        """Return the first child of a kind."""
        return next((child for child in self.children(parent) if child.kind == kind), None)

    def objects(self, last_edit: int) -> tuple[dict[int, int], int]:
        """Return where each object is, and the number of the document among them."""
        offsets: dict[int, int] = {}
        document = 0
        for _ in range(_MAX_EDITS):
            edit = self.at(last_edit)
            if edit is None or edit.kind != USER_EDIT or edit.end - edit.start < 20:
                break
            _, _, before, directory, number = struct.unpack_from("<IIIII", self._stream, edit.start)
            document = document or number
            for key, offset in self._directory(directory):
                offsets.setdefault(key, offset)
            if not before or before >= last_edit:
                break
            last_edit = before
        return offsets, document

    def _directory(self, offset: int) -> Iterator[tuple[int, int]]:
        record = self.at(offset)
        if record is None or record.kind != PERSIST_DIRECTORY:
            return
        count = (record.end - record.start) // 4
        values = struct.unpack_from(f"<{count}I", self._stream, record.start)
        place = 0
        while place < min(count, _MAX_OBJECTS):
            first, many = values[place] & 0xFFFFF, values[place] >> 20
            yield from enumerate(values[place + 1 : place + 1 + many], start=first)
            place += 1 + many
