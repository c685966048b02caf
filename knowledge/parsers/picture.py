"""Pictures as documents: each frame of a TIFF a page without text, for OCR to try."""

from __future__ import annotations

import io

from PIL import Image

from knowledge.parsers.contract import ParsedDocument, Parser, ParseRefused

MAX_FRAMES = 500


def parse_picture(content: bytes, _name: str) -> ParsedDocument:
    """Return a document of pages that hold a picture; one page but for scans in TIFF files.

    Raises:
        ParseRefused: damaged, too_large.
    """
    pages = _frames(content) if content.startswith((b"II", b"MM")) else 1
    if pages > MAX_FRAMES:
        raise ParseRefused(
            "too_large", f"The file has {pages:,} pages; at most {MAX_FRAMES:,} are read. Split it."
        )
    return ParsedDocument(
        blocks=(), page_count=pages, pages_without_text=tuple(range(1, pages + 1))
    )


def _frames(content: bytes) -> int:
    try:
        with Image.open(io.BytesIO(content), formats=("TIFF",)) as picture:
            return int(getattr(picture, "n_frames", 1))
    except (OSError, ValueError, SyntaxError, EOFError, KeyError, TypeError) as error:
        raise ParseRefused("damaged", "The picture cannot be opened. Save it anew.") from error


PARSER = Parser(
    name="picture",
    version="2",
    file_types=frozenset({"png", "jpg", "gif", "webp", "tiff", "bmp"}),
    parse=parse_picture,
    label="Text of pictures",
)
