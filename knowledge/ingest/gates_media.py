"""Gate of pictures: their pixels, read from the header before anything is decoded."""

from __future__ import annotations

import struct

from knowledge.parsers.contract import ParseRefused

_PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_JPEG_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_JPEG_WITHOUT_LENGTH = frozenset({0x01, 0xD8, *range(0xD0, 0xD8)})


def check_image(content: bytes, max_pixels: int) -> None:
    """Refuse pictures of more pixels than `max_pixels`, by their header.

    Raises:
        ParseRefused: too_large, damaged.
    """
    size = image_size(content)
    if size is None:
        raise ParseRefused("damaged", "The picture has no readable header. Save it anew.")
    width, height = size
    if width * height > max_pixels:
        raise ParseRefused(
            "too_large",
            f"The picture has {width:,} × {height:,} pixels; at most {max_pixels / 1e6:,.0f} "
            "million are read. Make it smaller.",
        )


def image_size(content: bytes) -> tuple[int, int] | None:
    """Return width and height of a PNG or JPEG picture, None where the header is broken."""
    if content.startswith(_PNG_MAGIC):
        if len(content) < 24:
            return None
        width, height = struct.unpack(">II", content[16:24])
        return int(width), int(height)
    return _jpeg_size(content)


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 < len(content):
        if content[place] != 0xFF:
            return None
        marker = content[place + 1]
        if marker == 0xFF:
            place += 1
        elif marker in _JPEG_WITHOUT_LENGTH:
            place += 2
        elif marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", content[place + 5 : place + 9])
            return int(width), int(height)
        else:
            place += 2 + int(struct.unpack(">H", content[place + 2 : place + 4])[0])
    return None
