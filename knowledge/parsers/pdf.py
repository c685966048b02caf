"""PDF: layout by liteparse, checked against pypdfium2's plain text on sample pages.

A page whose text the layout parser lost falls back to plain text; a page without text that shows
a picture is named for OCR; text that nobody sees is flagged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container

import pypdfium2  # type: ignore[import-untyped]  # ships no types

from knowledge.parsers.cjk import join_wide_text
from knowledge.parsers.contract import Block, ParsedDocument, Parser
from knowledge.parsers.pdf_checks import (
    PageLook,
    count_letters,
    look_at,
    open_page,
    open_pdf,
    refuse_too_many_pages,
    shows_picture,
)
from knowledge.parsers.pdf_headings import level_map
from knowledge.parsers.pdf_ink import InkMeter
from knowledge.parsers.pdf_layout import ParsedPage, read_layout
from knowledge.parsers.pdf_markdown import PageWriter, RunningTable
from knowledge.parsers.pdf_pictures import (
    has_pictures,
    open_pdf_pictures,
    pictures_on,
    with_pictures,
)
from knowledge.parsers.pictures import PictureBag

_KEPT_SHARE = 0.6
_COMPARED_PAGES = 2
_COMPARED_STEP = 10
"""Plain text costs a third of the layout: the first pages, and every tenth, are compared."""
_FEW_CHARACTERS = 40
_MANY_CHARACTERS = 250
_GARBAGE_SHARE = 0.3
_UNMAPPED = re.compile("[\x00-\x08\x0e-\x1f\ufffd\ufffe\uffff\ue000-\uf8ff]")
_HEADER_SEARCH_BYTES = 1_024
_TURNED_SHARE = 0.6
_FEWEST_TITLE_CHARACTERS = 2
_NO_TITLE = re.compile(
    r"\.(?:docx?|xlsx?|pptx?|dvi|indd|tex|pdf|qxd)$|^(?:Microsoft (?:Word|PowerPoint)|untitled|\W)",
    re.I,
)


def parse_pdf(content: bytes, _name: str) -> ParsedDocument:
    """Return the pages as Markdown blocks with page and box.

    Raises:
        ParseRefused: encrypted, damaged or too_large.
    """
    # Servers put error pages and mail puts headers in front; offsets count from the mark.
    content = content[max(content.find(b"%PDF-", 0, _HEADER_SEARCH_BYTES), 0) :]
    document = open_pdf(content)
    try:
        refuse_too_many_pages(len(document))
        return _read(content, document)
    finally:
        document.close()


def _read(content: bytes, document: pypdfium2.PdfDocument) -> ParsedDocument:
    page_count = len(document)
    pages, turned = _layout(content)
    levels = level_map(block for page in pages.values() for block in page.blocks or [])
    running = RunningTable()
    compared: Container[int] = {
        *range(1, _COMPARED_PAGES + 1),
        *range(0, page_count, _COMPARED_STEP),
    }
    blocks: list[Block] = []
    bag = PictureBag()
    shows_any = has_pictures(content)
    without_text: list[int] = []
    meter = InkMeter()
    plain: list[int] = []
    for number in range(1, page_count + 1):
        page = pages.get(number)
        compare = number in compared or _has_few_letters(page)
        with open_page(document, number) as shown:
            look = look_at(shown, with_text=compare)
            angle = turned.get(number, 0)
            written = _write(page, look, levels, angle, running) if page else []
            if _lost_text(written, page, look):
                look = look_at(shown, with_text=True)
                written = _plain_blocks(look, number)
                plain.append(number)
                # Where one page lost its text others may have: compare them all from here on.
                compared = range(page_count + 1)
            if _needs_ocr(shown, page, look, written):
                without_text.append(number)
            elif shows_any and shown is not None:
                written = with_pictures(written, pictures_on(shown), bag, page=number)
            meter.measure(shown, number, written)
        blocks += written
    return ParsedDocument(
        blocks=tuple(blocks),
        title=_title(document),
        page_count=page_count,
        warnings=tuple(_warnings(blocks, plain)),
        pages_without_text=tuple(without_text),
        pictures=bag.pictures,
        page_ink=meter.inks,
    )


def _layout(content: bytes) -> tuple[dict[int, ParsedPage], dict[int, int]]:
    """Return the pages by number and the angles of those that were turned upright first."""
    pages = read_layout(content, turned={}, wanted=None)
    turned = {number: angle for number, page in pages.items() if (angle := _content_angle(page))}
    if turned:
        wanted = ",".join(str(number) for number in turned)
        pages.update(read_layout(content, turned=turned, wanted=wanted))
    return pages, turned


def _content_angle(page: ParsedPage) -> int:
    """Return 90, 180 or 270 when most of the text runs that way."""
    angles: Counter[int] = Counter()
    upright = 0
    for item in page.text_items:
        if item.rotation:
            angles[round(item.rotation / 90) * 90 % 360] += len(item.text)
        else:
            upright += len(item.text)
    angles[0] += upright
    if not angles:
        return 0
    angle, letters = angles.most_common(1)[0]
    return angle if letters > _TURNED_SHARE * angles.total() else 0


def _write(
    page: ParsedPage, look: PageLook, levels: dict[int, int], turned: int, running: RunningTable
) -> list[Block]:
    writer = PageWriter(page, levels=levels, turned=turned, hidden=look.hidden, running=running)
    return [block for block in writer.write() if block.markdown.strip()]


def _has_few_letters(page: ParsedPage | None) -> bool:
    return page is None or len(page.text) < _MANY_CHARACTERS


def _lost_text(written: list[Block], page: ParsedPage | None, look: PageLook) -> bool:
    """Compare with the plain text, or where that was not read with the layout parser's own items."""
    kept = sum(count_letters(block.markdown) for block in written)
    text = look.text if look.text is not None else page.text if page else ""
    letters = count_letters(text)
    # Running headers and footers are left out on purpose.
    lost_much = letters - kept > _MANY_CHARACTERS or kept == 0
    return letters > _FEW_CHARACTERS and kept < _KEPT_SHARE * letters and lost_much


def _plain_blocks(look: PageLook, number: int) -> list[Block]:
    text = join_wide_text(look.text or "").strip()
    return [Block(markdown=text, page=number)] if text else []


def _needs_ocr(
    shown: pypdfium2.PdfPage | None,
    page: ParsedPage | None,
    look: PageLook,
    written: list[Block],
) -> bool:
    """Say whether the page shows something of which there is no (readable) text."""
    if _is_garbage(look.text if look.text is not None else page.text if page else ""):
        return True
    visible = sum(count_letters(block.markdown) for block in written if not block.hidden)
    return visible < _FEW_CHARACTERS and shows_picture(shown)


def _is_garbage(text: str) -> bool:
    """Fonts without a map to characters give private or replacement characters."""
    return len(_UNMAPPED.findall(text)) > _GARBAGE_SHARE * max(len(text), _FEW_CHARACTERS)


def _title(document: pypdfium2.PdfDocument) -> str:
    """Return the title of the properties, unless a program left its own words there."""
    try:
        title = document.get_metadata_value("Title").strip()
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        return ""
    return "" if len(title) < _FEWEST_TITLE_CHARACTERS or _NO_TITLE.search(title) else title


def _warnings(blocks: list[Block], plain: list[int]) -> list[str]:
    warnings = []
    if plain:
        warnings.append(f"Without headings and tables, as plain text: {_pages(plain)}.")
    if hidden := sorted({block.page for block in blocks if block.hidden and block.page}):
        warnings.append(f"Text that nobody can see was left out: {_pages(hidden)}.")
    return warnings


def _pages(numbers: list[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:10])
    more = f" and {len(numbers) - 10} more" if len(numbers) > 10 else ""
    return f"page{'s' if len(numbers) > 1 else ''} {shown}{more}"


PARSER = Parser(
    name="pdf",
    version="2",
    file_types=frozenset({"pdf"}),
    parse=parse_pdf,
    open_pictures=open_pdf_pictures,
    label="With layout and tables",
)
