"""A second look at a PDF with pypdfium2: is text missing, is some of it invisible."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import pypdfium2  # type: ignore[import-untyped]  # ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # ships no types

from knowledge.parsers.containers import PROTECTED
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
            raise ParseRefused("encrypted", PROTECTED) from error
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


@contextmanager
def open_page(document: pypdfium2.PdfDocument, number: int) -> Iterator[pypdfium2.PdfPage | None]:
    """Open page `number` (from 1) for the block, None if it is broken: opening it reads all of it."""
    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError:
        yield None
        return
    try:
        yield page
    finally:
        page.close()


def look_at(
    page: pypdfium2.PdfPage | None, *, with_text: bool, with_hidden: bool = True
) -> PageLook:
    """Return what an open page shows; an empty look for a broken one."""
    if page is not None:
        with contextlib.suppress(pypdfium2.PdfiumError):
            hidden = _hidden_text(page) if with_hidden else ()
            return PageLook(text=_text(page) if with_text else None, hidden=hidden)
    return PageLook(text="" if with_text else None)


def _text(page: pypdfium2.PdfPage) -> str:
    text_page = page.get_textpage()
    try:
        text: str = text_page.get_text_range()
        return text.replace("\r\n", "\n")
    finally:
        text_page.close()


def shows_picture(page: pypdfium2.PdfPage | None) -> bool:
    """Say whether a page shows a picture, or so many shapes that they may be drawn letters."""
    if page is None:
        return False
    frame = PageFrame(page)
    shapes = 0
    for item in page_objects(page, pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_PATH):
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
    for handle in _text_handles(page):
        sight = _sight_of_text(handle)
        if sight == "shown":
            shown += 1
        else:
            item = ctypes.cast(handle, pdfium.FPDF_PAGEOBJECT)
            (white if sight == "white" else hidden).append(item)
    if not hidden and not white:
        return ()
    frame = PageFrame(page)
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


def page_objects(page: pypdfium2.PdfPage, *kinds: int) -> Iterator[Any]:
    """Yield the raw objects of `kinds`, those inside forms too; helpers would be ten times slower."""
    for handle in _nested(ctypes.cast(page.raw, _HANDLE).value, _PAGE_CHILDREN, kinds, _FORM_DEPTH):
        yield ctypes.cast(handle, pdfium.FPDF_PAGEOBJECT)


_HANDLE = ctypes.c_void_p
_FORM = pdfium.FPDF_PAGEOBJ_FORM
_TEXT = (pdfium.FPDF_PAGEOBJ_TEXT,)


def _by_number(function: Any, *more: Any, result: Any = ctypes.c_int) -> Callable[..., Any]:
    """Return a function of pdfium that takes objects by number, at half the cost of typed pointers.

    A page has thousands of objects, and most are looked at only once.
    """
    address = ctypes.cast(function, _HANDLE).value
    made: Callable[..., Any] = ctypes.CFUNCTYPE(result, _HANDLE, *more)(address or 0)
    return made


_Children = tuple[Callable[..., int], Callable[..., int]]
_PAGE_CHILDREN: _Children = (
    _by_number(pdfium.FPDFPage_CountObjects),
    _by_number(pdfium.FPDFPage_GetObject, ctypes.c_int, result=_HANDLE),
)
_FORM_CHILDREN: _Children = (
    _by_number(pdfium.FPDFFormObj_CountObjects),
    _by_number(pdfium.FPDFFormObj_GetObject, ctypes.c_ulong, result=_HANDLE),
)
_kind_of = _by_number(pdfium.FPDFPageObj_GetType)
_render_mode_of = _by_number(pdfium.FPDFTextObj_GetTextRenderMode)
_fill_of = _by_number(pdfium.FPDFPageObj_GetFillColor, *[ctypes.c_void_p] * 4)


def _text_handles(page: pypdfium2.PdfPage) -> Iterator[int]:
    handle = ctypes.cast(page.raw, _HANDLE).value
    return _nested(handle, _PAGE_CHILDREN, _TEXT, _FORM_DEPTH)


def _nested(
    parent: int | None, children: _Children, kinds: Sequence[int], depth: int
) -> Iterator[int]:
    count, get = children
    for number in range(count(parent)):
        handle = get(parent, number)
        kind = _kind_of(handle)
        if kind in kinds:
            yield handle
        elif kind == _FORM and depth:
            yield from _nested(handle, _FORM_CHILDREN, kinds, depth - 1)


def _sight_of_text(handle: int) -> Literal["shown", "white", "hidden"]:
    """Tell what the eye tells; text below a point in size is dropped by the layout parser."""
    if _render_mode_of(handle) == _INVISIBLE_MODE:
        return "hidden"
    # Without a plain color it is black.
    if not _fill_of(handle, *_COLOR_PLACES):
        return "shown"
    if _ALPHA.value == 0:
        return "hidden"
    is_white = _RED.value >= _WHITE and _GREEN.value >= _WHITE and _BLUE.value >= _WHITE
    return "white" if is_white else "shown"


def _has_letters(item: Any, text_page: pypdfium2.PdfTextPage) -> bool:
    size = pdfium.FPDFTextObj_GetText(item, text_page.raw, None, 0)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    pdfium.FPDFTextObj_GetText(item, text_page.raw, buffer, size)
    return bool(count_letters(bytes(buffer)[:size].decode("utf-16-le", "replace")))


def _dark_grounds(page: pypdfium2.PdfPage) -> Iterator[Any]:
    """Yield the pictures and filled shapes on which white text can be read."""
    kinds = (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING)
    for item in page_objects(page, *kinds):
        if pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_PATH:
            red, green, blue, alpha = _fill(item)
            if min(red, green, blue) >= _WHITE or alpha == 0:
                continue
        yield item


_FLOATS = tuple(ctypes.c_float() for _ in range(4))
_RED, _GREEN, _BLUE, _ALPHA = (ctypes.c_uint() for _ in range(4))
_COLOR_PLACES = tuple(ctypes.addressof(color) for color in (_RED, _GREEN, _BLUE, _ALPHA))


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


class PageFrame:
    """Turns the page's own coordinates into those of the page as it is shown."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        """Read the page's box and how it is turned."""
        self._left, self._bottom, self._right, self._top = page.get_bbox()
        self._rotation = page.get_rotation()
        sizes = (self._right - self._left or 1.0, self._top - self._bottom or 1.0)
        self.width, self.height = sizes[::-1] if self._rotation in {90, 270} else sizes
        """Of the page as it is shown, in points."""

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
