"""Outlook messages: the properties of a message, and its packed rich text ([MS-OXMSG], [MS-OXRTFCP])."""

from __future__ import annotations

import datetime as dt
import struct
from dataclasses import dataclass

from knowledge.parsers.encodings import decode_text
from knowledge.parsers.ole import Streams

_UNICODE, _NARROW, _BINARY = "001F", "001E", "0102"
_FIXED_ENTRY = 16
_HEADER_BYTES = {"top": 32, "embedded": 24, "attachment": 8}
_EPOCH = dt.datetime(1601, 1, 1, tzinfo=dt.UTC)
_PACKED, _UNPACKED = 0x75465A4C, 0x414C454D
_MAX_RTF_BYTES = 64_000_000
_DICTIONARY = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    b"\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)


@dataclass(frozen=True)
class Storage:
    """One message, recipient or attachment: a folder of the container."""

    streams: Streams
    prefix: str = ""
    """Path of the folder, with a slash behind it; blank for the message itself."""

    def text(self, tag: str) -> str:
        """Return a property of text, in whatever width it is kept."""
        wide = self._stream(tag, _UNICODE)
        if wide:
            return wide.decode("utf-16-le", "replace").rstrip("\0")
        narrow = self._stream(tag, _NARROW)
        return decode_text(narrow.rstrip(b"\0")).text if narrow else ""

    def binary(self, tag: str) -> bytes:
        """Return a property of bytes."""
        return self._stream(tag, _BINARY)

    def number(self, tag: int) -> int | None:
        """Return a property of fixed size."""
        data = self.streams.read(f"{self.prefix}__properties_version1.0")
        kind = "top" if not self.prefix else "attachment" if self._is_attachment else "embedded"
        for place in range(_HEADER_BYTES[kind], len(data) - _FIXED_ENTRY + 1, _FIXED_ENTRY):
            if struct.unpack_from("<H", data, place + 2)[0] == tag:
                return int(struct.unpack_from("<q", data, place + 8)[0])
        return None

    def time(self, tag: int) -> str:
        """Return a point in time."""
        ticks = self.number(tag)
        if not ticks or ticks < 0:
            return ""
        try:
            return (_EPOCH + dt.timedelta(microseconds=ticks // 10)).isoformat(" ", "minutes")
        except OverflowError:
            return ""

    def attachments(self) -> list[Storage]:
        """Return the folders of the attachments, in their order."""
        depth = self.prefix.count("/")
        found = {
            name.split("/")[depth]
            for name in self.streams.names
            if name.startswith(self.prefix + "__attach_version1.0_#")
        }
        return [Storage(self.streams, f"{self.prefix}{name}/") for name in sorted(found)]

    def embedded(self) -> Storage | None:
        """Return the message that an attachment is."""
        prefix = f"{self.prefix}__substg1.0_3701000D/"
        inside = any(name.startswith(prefix) for name in self.streams.names)
        return Storage(self.streams, prefix) if inside else None

    @property
    def _is_attachment(self) -> bool:
        return self.prefix.rstrip("/").rpartition("/")[2].startswith("__attach")

    def _stream(self, tag: str, kind: str) -> bytes:
        return self.streams.read(f"{self.prefix}__substg1.0_{tag}{kind}")


def unpack_rtf(packed: bytes) -> bytes:
    """Return the rich text of the packed body; nothing when it is damaged."""
    if len(packed) < 16:
        return b""
    size, kind = struct.unpack_from("<4xII", packed)
    if kind == _UNPACKED:
        return packed[16 : 16 + size]
    if kind != _PACKED or size > _MAX_RTF_BYTES:
        return b""
    window = bytearray(_DICTIONARY.ljust(4096, b" "))
    write, place, out = len(_DICTIONARY), 16, bytearray()
    while place < len(packed) and len(out) < size:
        flags, place = packed[place], place + 1
        for bit in range(8):
            if flags >> bit & 1:
                if place + 2 > len(packed):
                    return bytes(out)
                pair, place = int.from_bytes(packed[place : place + 2], "big"), place + 2
                start = pair >> 4
                if start == write:
                    return bytes(out)
                letters = [(start + number) % 4096 for number in range((pair & 0xF) + 2)]
            elif place < len(packed):
                letters, place = [-packed[place] - 1], place + 1
            else:
                return bytes(out)
            for letter in letters:
                value = -letter - 1 if letter < 0 else window[letter]
                out.append(value)
                window[write] = value
                write = (write + 1) % 4096
    return bytes(out)
