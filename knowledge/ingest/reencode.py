"""A picture of a document, written anew inside an isolated child: small, without metadata, WebP."""

from __future__ import annotations

import io
import time
from collections.abc import Iterable
from dataclasses import dataclass

from PIL import Image, ImageOps, UnidentifiedImageError

from knowledge.parsers.pictures import MOST_PIXELS

MEDIA_TYPE = "image/webp"
LONG_EDGE = 2_000
_QUALITY, _EFFORT = 85, 2
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
"""Never a format that may hold a program or ask another one to draw it: SVG, EPS, WMF."""
_BROKEN = (
    UnidentifiedImageError,
    Image.DecompressionBombError,
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    KeyError,
    TypeError,
)


@dataclass(frozen=True, kw_only=True)
class Encoded:
    """A picture as it is kept."""

    key: str
    width: int
    height: int
    content: bytes
    """Empty for one that cannot be shown."""


def encode_pictures(
    pictures: Iterable[tuple[str, bytes]], *, most_bytes: int, most_seconds: float
) -> list[Encoded]:
    """Write pictures anew: one, and more while room and processor time are left."""
    started, used = time.process_time(), 0
    found: list[Encoded] = []
    for key, content in pictures:
        made = encode(key, content)
        if found and used + len(made.content) > most_bytes:
            break
        found.append(made)
        used += len(made.content)
        if time.process_time() - started > most_seconds:
            break
    return found


def encode(key: str, content: bytes) -> Encoded:
    """Write one picture anew, at most 2,000 pixels long; empty when it is broken or of one color."""
    nothing = Encoded(key=key, width=0, height=0, content=b"")
    try:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                return nothing
            opened.draft("RGB", (LONG_EDGE, LONG_EDGE))
            shown = ImageOps.exif_transpose(opened)
            shown.thumbnail((LONG_EDGE, LONG_EDGE))
            picture = shown.convert("RGBA" if _is_transparent(shown) else "RGB")
    except _BROKEN:
        return nothing
    if _is_blank(picture):
        return nothing
    target = io.BytesIO()
    # A new picture holds nothing but its pixels: no place, no camera, no color profile.
    Image.frombytes(picture.mode, picture.size, picture.tobytes()).save(
        target, "WEBP", quality=_QUALITY, method=_EFFORT
    )
    return Encoded(key=key, width=picture.width, height=picture.height, content=target.getvalue())


def _is_transparent(picture: Image.Image) -> bool:
    return picture.mode in {"RGBA", "LA", "PA"} or "transparency" in picture.info


def _is_blank(picture: Image.Image) -> bool:
    """Say whether nothing can be seen: one color, or nothing but what shines through."""
    bands = picture.split()
    ranges = [band.getextrema() for band in bands]
    return ranges[3:] == [(0, 0)] or all(low == high for low, high in ranges[:3])
