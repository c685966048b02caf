"""Streams of an OLE container (Word, PowerPoint and Outlook files of old)."""

from __future__ import annotations

from dataclasses import dataclass, field

import olefile  # type: ignore[import-untyped]  # ships no types

from knowledge.parsers.contract import ParseRefused

MAX_STREAMS = 20_000
_UTF8_PAGE = 65001
_BROKEN = (OSError, ValueError, IndexError, TypeError, AttributeError, MemoryError)


@dataclass
class Streams:
    """The container's streams by their path, read when they are asked for."""

    container: olefile.OleFileIO
    names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.names = frozenset("/".join(path) for path in self.container.listdir())

    def read(self, name: str) -> bytes:
        """Return a stream's bytes; none when there is no such stream or it is damaged."""
        if name not in self.names:
            return b""
        try:
            return bytes(self.container.openstream(name).read())
        except _BROKEN:
            return b""

    def title(self) -> str:
        """Return the title of the summary."""
        try:
            summary = self.container.get_metadata()
            title = summary.title or b""
            page = (summary.codepage or 1252) & 0xFFFF
            if not isinstance(title, bytes):
                return str(title)
            return title.decode("utf-8" if page == _UTF8_PAGE else f"cp{page}", "replace")
        except (LookupError, *_BROKEN):
            return ""


def open_streams(content: bytes) -> Streams:
    """Open a container.

    Raises:
        ParseRefused: damaged, hostile.
    """
    try:
        streams = Streams(olefile.OleFileIO(content))
    except _BROKEN as error:
        raise ParseRefused(
            "damaged", "The file is a damaged container. Open it in its program and save it anew."
        ) from error
    if len(streams.names) > MAX_STREAMS:
        raise ParseRefused("hostile", f"The file has more than {MAX_STREAMS:,} parts.")
    return streams
