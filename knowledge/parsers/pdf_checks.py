"""A second look at a PDF with pypdfium2: is text missing, is some of it invisible."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pypdfium2  # type: ignore[import-untyped]  # ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # ships no types

from knowledge.parsers.contract import ParseRefused

MAX_PAGES = 5_000
_INVISIBLE_MODE = 3
_WHITE = 250
_FORM_DEPTH = 3
_PICTURE_SHARE = 0.05
_DRAWN_LETTERS = 100
_PASSWORD_ERROR = 4

Rectangle = tuple[float, float, float, float]
"""Left, top, right, bottom in points from the top left of the page as it is shown."""


@dataclass(frozen=True, kw_only=True)
class PageLook:
    """What one page shows."""

    text: str | None = None
    """All its text, in the order of the file; None when it was not asked for."""
    hidden: tuple[Rectangle, ...] = ()
    """Places of text that nobody sees; empty when the page has no other text."""


def open_pdf(content: bytes) -> pypdfium2.PdfDocument:
    """Open a document.

    Raises:
        ParseRefused: encrypted, or damaged.
    """
    try:
        return pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR or "assword" in str(error):
            raise ParseRefused(
                "encrypted",
                "The PDF is protected with a password. Save it without one and upload it again.",
            ) from error
        raise ParseRefused(
            "damaged", "The PDF cannot be opened: it is damaged or cut off. Save it anew."
        ) from error


def refuse_too_many_pages(page_count: int) -> None:
    """Refuse a document of more pages than anybody reads; some claim a billion.

    Raises:
        ParseRefused: too_large.
    """
    if page_count > MAX_PAGES:
        raise ParseRefused(
            "too_large",
            f"The PDF says it has {page_count:,} pages; at most {MAX_PAGES:,} are read. Split it.",
        )


def look_at_page(document: pypdfium2.PdfDocument, number: int, *, with_text: bool) -> PageLook:
    """Return what page `number` (from 1) shows; an empty look for a broken page."""
    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError:
        return PageLook(text="" if with_text else None)
    try:
        hidden = _hidden_text(page)
        return PageLook(text=_text(page) if with_text else None, hidden=hidden)
    except pypdfium2.PdfiumError:
        return PageLook(text="" if with_text else None)
    finally:
        page.close()


def _text(page: pypdfium2.PdfPage) -> str:
    text_page = page.get_textpage()
    try:
        text: str = text_page.get_text_range()
        return text.replace("\r\n", "\n")
    finally:
        text_page.close()


def shows_picture(document: pypdfium2.PdfDocument, number: int) -> bool:
    """Say whether a page shows a picture, or so many shapes that they may be drawn letters."""
    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError:
        return False
    frame = _Frame(page)
    shapes = 0
    for item in _objects(page, pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_PATH):
        if pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_IMAGE:
            if frame.share(item) > _PICTURE_SHARE:
                return True
        else:
            shapes += 1
        if shapes > _DRAWN_LETTERS:
            return True
    return False


def count_letters(text: str) -> int:
    """Count what is not blank: what must not get lost."""
    return sum(map(len, text.split()))


def _hidden_text(page: pypdfium2.PdfPage) -> tuple[Rectangle, ...]:
    hidden: list[Any] = []
    white: list[Any] = []
    shown = 0
    for item in _objects(page, pdfium.FPDF_PAGEOBJ_TEXT):
        sight = _sight_of_text(item)
        if sight == "shown":
            shown += 1
        else:
            (white if sight == "white" else hidden).append(item)
    if not hidden and not white:
        return ()
    frame = _Frame(page)
    text_page = page.get_textpage()
    try:
        unseen = [frame.area(item) for item in hidden if _has_letters(item, text_page)]
        bright = [frame.area(item) for item in white if _has_letters(item, text_page)]
    finally:
        text_page.close()
    grounds = [frame.area(item) for item in _dark_grounds(page)] if bright else []
    lost = [area for area in bright if not any(_overlap(area, ground) for ground in grounds)]
    shown += len(bright) - len(lost)
    return tuple(unseen + lost) if shown else ()


def _objects(page: pypdfium2.PdfPage, *kinds: int) -> Iterator[Any]:
    """Yield the raw objects of `kinds`, those inside forms too; helpers would be ten times slower."""
    yield from _nested(
        page.raw, pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject, kinds, _FORM_DEPTH
    )


def _nested(
    parent: Any,
    count: Callable[..., int],
    get: Callable[..., Any],
    kinds: Sequence[int],
    depth: int,
) -> Iterator[Any]:
    for number in range(count(parent)):
        item = get(parent, number)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind in kinds:
            yield item
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth:
            yield from _nested(
                item,
                pdfium.FPDFFormObj_CountObjects,
                pdfium.FPDFFormObj_GetObject,
                kinds,
                depth - 1,
            )


def _sight_of_text(item: Any) -> Literal["shown", "white", "hidden"]:
    """Tell what the eye tells; text below a point in size is dropped by the layout parser."""
    if pdfium.FPDFTextObj_GetTextRenderMode(item) == _INVISIBLE_MODE:
        return "hidden"
    red, green, blue, alpha = _fill(item)
    if alpha == 0:
        return "hidden"
    return "white" if min(red, green, blue) >= _WHITE else "shown"


def _has_letters(item: Any, text_page: pypdfium2.PdfTextPage) -> bool:
    size = pdfium.FPDFTextObj_GetText(item, text_page.raw, None, 0)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    pdfium.FPDFTextObj_GetText(item, text_page.raw, buffer, size)
    return bool(count_letters(bytes(buffer)[:size].decode("utf-16-le", "replace")))


def _dark_grounds(page: pypdfium2.PdfPage) -> Iterator[Any]:
    """Yield the pictures and filled shapes on which white text can be read."""
    kinds = (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING)
    for item in _objects(page, *kinds):
        if pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_PATH:
            red, green, blue, alpha = _fill(item)
            if min(red, green, blue) >= _WHITE or alpha == 0:
                continue
        yield item


_FLOATS = tuple(ctypes.c_float() for _ in range(4))
_RED, _GREEN, _BLUE, _ALPHA = (ctypes.c_uint() for _ in range(4))


def _bounds(item: Any) -> Rectangle:
    """Left, bottom, right, top in the page's own coordinates."""
    if not pdfium.FPDFPageObj_GetBounds(item, *_FLOATS):
        return (0.0, 0.0, 0.0, 0.0)
    left, bottom, right, top = (number.value for number in _FLOATS)
    return (left, bottom, right, top)


def _fill(item: Any) -> tuple[int, int, int, int]:
    """Red, green, blue, alpha; black where the object has no plain colour."""
    if not pdfium.FPDFPageObj_GetFillColor(item, _RED, _GREEN, _BLUE, _ALPHA):
        return (0, 0, 0, 255)
    return (_RED.value, _GREEN.value, _BLUE.value, _ALPHA.value)


class _Frame:
    """Turns the page's own coordinates into those of the page as it is shown."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self._left, self._bottom, self._right, self._top = page.get_bbox()
        self._rotation = page.get_rotation()

    def area(self, item: Any) -> Rectangle:
        """Return the bounds of an object."""
        left, bottom, right, top = _bounds(item)
        from_left, from_right = left - self._left, self._right - right
        from_top, from_bottom = self._top - top, bottom - self._bottom
        width, height = right - left, top - bottom
        if self._rotation in {90, 270}:
            width, height = height, width
        x, y = {
            0: (from_left, from_top),
            90: (from_bottom, from_left),
            180: (from_right, from_bottom),
            270: (from_top, from_right),
        }[self._rotation]
        return (x, y, x + width, y + height)

    def share(self, item: Any) -> float:
        """Return the share of the page that the bounds of an object take."""
        left, bottom, right, top = _bounds(item)
        whole = (self._right - self._left) * (self._top - self._bottom)
        return abs((right - left) * (top - bottom) / whole) if whole else 0.0


def _overlap(one: Rectangle, other: Rectangle) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
