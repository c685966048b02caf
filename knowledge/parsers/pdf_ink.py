"""How much is drawn on a page of a PDF: what a page with little text is measured against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pypdfium2  # type: ignore[import-untyped]  # ships no types

from knowledge.parsers.contract import Block
from knowledge.parsers.pdf_checks import count_letters, open_page

FEW_LETTERS = 640
"""Pages with more text hold what their ink promises: they are not drawn."""
_MOST_PAGES = 200
"""A book of pictures need not be drawn whole to be known as one."""
LONG_EDGE = 160
"""Pixels: enough to tell a drawn page from a blank one, a tenth of what OCR needs."""
_SAME_GREY = 24
"""Greys that differ less from the ground are paper."""


def ink_where_text_is_scarce(
    document: pypdfium2.PdfDocument, blocks: Iterable[Block]
) -> dict[int, float]:
    """Return the ink of the pages with few visible letters, the first 200 of them."""
    letters: Counter[int] = Counter()
    for block in blocks:
        if block.page is not None and not block.hidden:
            letters[block.page] += count_letters(block.markdown)
    scarce = [page for page in range(1, len(document) + 1) if letters[page] < FEW_LETTERS]
    found = {page: ink_of_page(document, page) for page in scarce[:_MOST_PAGES]}
    return {page: ink for page, ink in found.items() if ink is not None}


class InkMeter:
    """Measures the pages with few visible letters while they are open, the first 200 of them."""

    def __init__(self) -> None:
        self.inks: dict[int, float] = {}
        self._looked_at = 0

    def measure(self, page: pypdfium2.PdfPage | None, number: int, blocks: Iterable[Block]) -> None:
        """Note the ink of page `number`, of which `blocks` are all; None is a broken page."""
        letters = sum(count_letters(block.markdown) for block in blocks if not block.hidden)
        if letters >= FEW_LETTERS or self._looked_at >= _MOST_PAGES:
            return
        self._looked_at += 1
        if page is not None and (ink := ink_of_open_page(page)) is not None:
            self.inks[number] = ink


def ink_of_page(document: pypdfium2.PdfDocument, number: int) -> float | None:
    """Return the share of page `number` (from 1) that is not its ground, 0..1; None if broken."""
    with open_page(document, number) as page:
        return None if page is None else ink_of_open_page(page)


def ink_of_open_page(page: pypdfium2.PdfPage) -> float | None:
    """Return the share of a page that is not its ground, 0..1; None where it cannot be drawn."""
    try:
        scale = LONG_EDGE / max(*page.get_size(), 1.0)
        bitmap = page.render(
            scale=scale,
            may_draw_forms=False,
            grayscale=True,
            no_smoothpath=True,
            no_smoothimage=True,
        )
        return _ink(bitmap.to_pil().histogram())
    except (pypdfium2.PdfiumError, ValueError, MemoryError):
        return None


def _ink(histogram: list[int]) -> float:
    """Weigh each pixel by how far it is from the most frequent grey."""
    ground = max(range(len(histogram)), key=histogram.__getitem__)
    drawn = sum(
        count * abs(grey - ground)
        for grey, count in enumerate(histogram)
        if abs(grey - ground) > _SAME_GREY
    )
    return round(drawn / 255 / max(sum(histogram), 1), 4)
