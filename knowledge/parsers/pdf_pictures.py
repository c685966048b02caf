"""Pictures of PDF pages: found by their raw bytes, put where they stand, decoded only on demand."""

from __future__ import annotations

import ctypes
import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2  # type: ignore[import-untyped]  # ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # ships no types

from knowledge.parsers.contract import Block, Box
from knowledge.parsers.pdf_checks import PageFrame, open_pdf, page_objects
from knowledge.parsers.pictures import MOST_BYTES, MOST_IN_A_TEXT, PictureBag, is_worth_it

_HAS_PICTURES = re.compile(rb"/Subtype\s*/Image\b")
"""A picture is a stream, and the dictionary of a stream is never packed or encrypted."""
_MOST_OBJECTS = 20_000
_WHOLE_PAGE = 0.85
"""Share of the page from which on a picture is its background, or a scan below its text."""
_LEAST_POINTS = 20.0
_MOST_ON_A_PAGE = 30


@dataclass(frozen=True, kw_only=True)
class PlacedPicture:
    """A picture on a page."""

    key: str
    width: int
    height: int
    size_bytes: int
    box: Box


def has_pictures(content: bytes) -> bool:
    """Say whether there is any picture in the file: most have none, and need no look."""
    return _HAS_PICTURES.search(content) is not None


def pictures_on(page: pypdfium2.PdfPage) -> tuple[PlacedPicture, ...]:
    """Return the pictures of an open page that are worth showing, in the order of the file."""
    found: dict[str, PlacedPicture] = {}
    frame = PageFrame(page)
    for item in _items(page):
        box = _box(frame, item)
        if box is None or (known := _known(item)) is None:
            continue
        key, width, height, size_bytes = known
        placed = PlacedPicture(key=key, width=width, height=height, size_bytes=size_bytes, box=box)
        found.setdefault(key, placed)
        if len(found) >= _MOST_ON_A_PAGE:
            break
    return tuple(found.values())


def _items(page: pypdfium2.PdfPage) -> Iterator[Any]:
    if pdfium.FPDFPage_CountObjects(page.raw) <= _MOST_OBJECTS:
        yield from page_objects(page, pdfium.FPDF_PAGEOBJ_IMAGE)


def _box(frame: PageFrame, item: Any) -> Box | None:
    """Return where a picture stands; None for what is too small, or is the whole page."""
    if frame.share(item) > _WHOLE_PAGE:
        return None
    left, top, right, bottom = frame.area(item)
    if min(right - left, bottom - top) < _LEAST_POINTS:
        return None
    edges = (left / frame.width, top / frame.height, right / frame.width, bottom / frame.height)
    held = [min(max(edge, 0.0), 1.0) for edge in edges]
    return Box(left=held[0], top=held[1], right=held[2], bottom=held[3])


def _known(item: Any) -> tuple[str, int, int, int] | None:
    """Return key, width, height and size of a picture without decoding it."""
    width, height = ctypes.c_uint(), ctypes.c_uint()
    if not pdfium.FPDFImageObj_GetImagePixelSize(item, width, height):
        return None
    size = pdfium.FPDFImageObj_GetImageDataRaw(item, None, 0)
    if not is_worth_it(width.value, height.value, size):
        return None
    buffer = (ctypes.c_ubyte * size)()
    pdfium.FPDFImageObj_GetImageDataRaw(item, buffer, size)
    digest = hashlib.sha256(f"{width.value}x{height.value}\n".encode())
    digest.update(buffer)
    return digest.hexdigest()[:20], width.value, height.value, size


def with_pictures(
    blocks: Sequence[Block], pictures: Sequence[PlacedPicture], bag: PictureBag, *, page: int
) -> list[Block]:
    """Put references to pictures between a page's blocks: each behind what stands above it."""
    result = list(blocks)
    for picture in sorted(pictures, key=lambda each: (each.box.top, each.box.left)):
        mark = bag.note(
            picture.key,
            width=picture.width,
            height=picture.height,
            size_bytes=picture.size_bytes,
            page=page,
            box=picture.box,
        )
        if mark:
            block = Block(markdown=mark, page=page, box=picture.box)
            result.insert(_place(result, picture.box), block)
    return result


def _place(blocks: Sequence[Block], box: Box) -> int:
    """Return behind which block a picture goes: the lowest above it in its column, else at the top."""
    middle = (box.top + box.bottom) / 2
    best, lowest = -1, -1.0
    for number, block in enumerate(blocks):
        other = block.box
        if other is None or other.right <= box.left or box.right <= other.left:
            continue
        if other.top < middle and other.bottom <= box.bottom and other.bottom >= lowest:
            best, lowest = number, other.bottom
    if best >= 0:
        return best + 1
    below = (
        number
        for number, block in enumerate(blocks)
        if block.box is not None and block.box.top >= middle
    )
    return next(below, len(blocks))


def open_pdf_pictures(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield each picture of a PDF once, by its key, as it looks on the page.

    Raises:
        ParseRefused: encrypted, damaged.
    """
    seen: set[str] = set()
    with open_pdf(content) as document:
        for number in range(len(document)):
            try:
                page = document[number]
            except pypdfium2.PdfiumError:
                continue
            for item in _items(page):
                known = _known(item) if _box(PageFrame(page), item) else None
                if known is None or known[0] in seen or len(seen) >= MOST_IN_A_TEXT:
                    continue
                seen.add(known[0])
                if (decoded := _decoded(item, page, document)) is not None:
                    yield known[0], decoded
            page.close()


def _decoded(item: Any, page: pypdfium2.PdfPage, document: pypdfium2.PdfDocument) -> bytes | None:
    """Return a picture as PNG: with its mask where pdfium can, else without."""
    image = pypdfium2.PdfImage(item, page=page, pdf=document)
    for rendered in (True, False):
        try:
            picture = image.get_bitmap(render=rendered, scale_to_original=True).to_pil()
        except (pypdfium2.PdfiumError, ValueError, OSError):
            continue
        target = io.BytesIO()
        picture.save(target, "PNG", compress_level=1)
        if target.tell() <= MOST_BYTES * 4:
            return target.getvalue()
    return None
