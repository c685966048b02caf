"""Gate of pictures: their pixels, read from the header before anything is decoded."""

from __future__ import annotations

import io
import struct
import warnings

from PIL import Image

from knowledge.parsers.contract import ParseRefused

_PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_JPEG_MAGIC = b"\xff\xd8\xff"
_JPEG_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_JPEG_WITHOUT_LENGTH = frozenset({0x01, 0xD8, *range(0xD0, 0xD8)})
_BROKEN = (OSError, ValueError, SyntaxError, EOFError, KeyError, TypeError, struct.error)


def check_image(content: bytes, max_pixels: int) -> None:
    """Refuse pictures of more pixels than `max_pixels`, by their header.

    Raises:
        ParseRefused: too_large, damaged.
    """
    size = image_size(content)
    if size is None:
        raise ParseRefused("damaged", "The picture has no readable header. Save it anew.")
    check_pixels(*size, most=max_pixels)


def check_pixels(width: int, height: int, *, most: int) -> None:
    """Refuse a picture of more pixels than `most`.

    Raises:
        ParseRefused: too_large.
    """
    if width * height > most:
        raise ParseRefused(
            "too_large",
            f"The picture has {width:,} × {height:,} pixels; at most {most / 1e6:,.0f} "
            "million are read. Make it smaller.",
        )


def image_size(content: bytes) -> tuple[int, int] | None:
    """Return width and height of the (first) picture, None where the header is broken."""
    if content.startswith(_PNG_MAGIC):
        return _numbers(">II", content, 16)
    if content.startswith(_JPEG_MAGIC):
        return _jpeg_size(content)
    if content.startswith(b"GIF8"):
        return _numbers("<HH", content, 6)
    if content[8:12] == b"WEBP":
        return _webp_size(content)
    return _size_by_library(content)


def _size_by_library(content: bytes) -> tuple[int, int] | None:
    """BMP and TIFF: the library reads nothing but their headers here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=("BMP", "TIFF")) as picture:
                return picture.size
    except Image.DecompressionBombError:
        return (1 << 20, 1 << 20)
    except _BROKEN:
        return None


def _webp_size(content: bytes) -> tuple[int, int] | None:
    """Its library makes room for the whole picture as soon as it is opened."""
    kind = content[12:16]
    if kind == b"VP8X" and len(content) >= 30:
        return (
            int.from_bytes(content[24:27], "little") + 1,
            int.from_bytes(content[27:30], "little") + 1,
        )
    if kind == b"VP8L" and (bits := _numbers("<BI", content, 20)):
        return (bits[1] & 0x3FFF) + 1, (bits[1] >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and (size := _numbers("<HH", content, 26)):
        return size[0] & 0x3FFF, size[1] & 0x3FFF
    return None


def _numbers(layout: str, content: bytes, place: int) -> tuple[int, int] | None:
    if len(content) < place + struct.calcsize(layout):
        return None
    first, second = struct.unpack_from(layout, content, place)
    return int(first), int(second)


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
