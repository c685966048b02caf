"""PDF, other engines: the plain text of each page, and every page by OCR."""

from __future__ import annotations

from knowledge.parsers.cjk import join_wide_text
from knowledge.parsers.contract import Block, ParsedDocument, Parser
from knowledge.parsers.pdf_checks import (
    look_at,
    open_page,
    open_pdf,
    refuse_too_many_pages,
    shows_picture,
)
from knowledge.parsers.pdf_ink import ink_where_text_is_scarce

_MAX_OCR_PAGES = 500


def parse_pdf_plain(content: bytes, _name: str) -> ParsedDocument:
    """Return the text in the order of the file, without headings and tables.

    Raises:
        ParseRefused: encrypted, damaged, too_large.
    """
    with open_pdf(content) as document:
        refuse_too_many_pages(len(document))
        blocks: list[Block] = []
        without_text: list[int] = []
        for number in range(1, len(document) + 1):
            with open_page(document, number) as shown:
                look = look_at(shown, with_text=True, with_hidden=False)
                text = join_wide_text(look.text or "").strip()
                if text:
                    blocks.append(Block(markdown=text, page=number))
                elif shows_picture(shown):
                    without_text.append(number)
        return ParsedDocument(
            blocks=tuple(blocks),
            page_count=len(document),
            pages_without_text=tuple(without_text),
            page_ink=ink_where_text_is_scarce(document, blocks),
        )


def parse_pdf_by_ocr(content: bytes, _name: str) -> ParsedDocument:
    """Return no text but all pages as candidates for OCR: for scans with a bad layer of text.

    Raises:
        ParseRefused: encrypted, damaged, too_large.
    """
    with open_pdf(content) as document:
        count = len(document)
    refuse_too_many_pages(count)
    warnings: tuple[str, ...] = ()
    if count > _MAX_OCR_PAGES:
        warnings = (f"Only the first {_MAX_OCR_PAGES} of {count:,} pages were read by OCR.",)
    pages = tuple(range(1, min(count, _MAX_OCR_PAGES) + 1))
    return ParsedDocument(blocks=(), page_count=count, pages_without_text=pages, warnings=warnings)


PARSERS = (
    Parser(
        name="pdf-plain",
        version="1",
        file_types=frozenset({"pdf"}),
        parse=parse_pdf_plain,
        rank=1,
        label="As plain text",
    ),
    Parser(
        name="pdf-ocr",
        version="1",
        file_types=frozenset({"pdf"}),
        parse=parse_pdf_by_ocr,
        rank=2,
        automatic=False,
        label="By OCR",
    ),
)
