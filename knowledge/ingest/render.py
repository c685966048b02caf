"""A page or a picture as pixels for OCR, made inside an isolated child."""

from __future__ import annotations

import io
from dataclasses import dataclass

import pypdfium2  # type: ignore[import-untyped]  # ships no types
from PIL import Image, ImageOps, UnidentifiedImageError

from knowledge.ingest.gates import GateLimits, check_content
from knowledge.ingest.gates_media import check_pixels
from knowledge.ingest.unlock import unlock
from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.filetypes import detect_type
from knowledge.parsers.pdf_checks import open_pdf

_DPI = 200
_LONG_EDGE = 2_000
_POINTS_PER_INCH = 72


@dataclass(frozen=True, kw_only=True)
class Picture:
    """Rows of blue, green and red bytes."""

    width: int
    height: int
    pixels: bytes


def render_page(content: bytes, page: int, *, password: str = "") -> Picture:
    """Return page `page` (from 1) of a PDF or a picture, at most 2,000 pixels long.

    Raises:
        ParseRefused: damaged, too_large, encrypted.
    """
    if password:
        content = unlock(content, password)
    file_type = detect_type(content, "")
    check_content(content, file_type, GateLimits())
    if file_type == "pdf":
        return _pdf_page(content, page)
    return _image(content, page)


def _pdf_page(content: bytes, page: int) -> Picture:
    with open_pdf(content) as document:
        try:
            shown = document[page - 1]
        except (pypdfium2.PdfiumError, IndexError) as error:
            raise ParseRefused("damaged", f"Page {page} of the PDF cannot be drawn.") from error
        longest = max(shown.get_size()) or 1.0
        scale = min(_DPI / _POINTS_PER_INCH, _LONG_EDGE / longest)
        image = shown.render(scale=scale, may_draw_forms=False).to_pil()
        return _picture(image)


def _image(content: bytes, page: int) -> Picture:
    try:
        opened = Image.open(io.BytesIO(content))
        if page > 1:
            opened.seek(page - 1)
        check_pixels(*opened.size, most=GateLimits().image_pixels)
        image = ImageOps.exif_transpose(opened)
        image.thumbnail((_LONG_EDGE, _LONG_EDGE))
    except (
        UnidentifiedImageError,
        OSError,
        ValueError,
        SyntaxError,
        EOFError,
        KeyError,
        TypeError,
    ) as error:
        raise ParseRefused("damaged", "The picture cannot be opened. Save it anew.") from error
    if image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info:
        # Dark text on nothing would become dark on black.
        ground = Image.new("RGBA", image.size, "white")
        ground.alpha_composite(image.convert("RGBA"))
        image = ground
    return _picture(image)


def _picture(image: Image.Image) -> Picture:
    rgb = image.convert("RGB")
    return Picture(width=rgb.width, height=rgb.height, pixels=rgb.tobytes("raw", "BGR"))
