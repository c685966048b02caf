"""Word (DOCX): mammoth to HTML, then our Markdown; `docx_prepass` adds what mammoth leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mammoth  # type: ignore[import-untyped]  # ships no types

from knowledge.parsers.contract import Block, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.docx_prepass import BACKSLASH_MARK, PAGE_MARK, PreparedDocx, prepare
from knowledge.parsers.html import tidy_fragment
from knowledge.parsers.office_xml import open_container
from knowledge.parsers.pictures import PictureBag


def parse_docx(content: bytes, _name: str) -> ParsedDocument:
    """Return paragraphs, tables, notes, comments and formulas; headers and footers once.

    Raises:
        ParseRefused: damaged.
    """
    with open_container(content) as archive:
        try:
            prepared = prepare(archive)
        except KeyError as error:
            raise ParseRefused(
                "damaged", "The Word file has no document in it. Save it anew in Word."
            ) from error
    pictures = prepared.pictures
    shown = PictureBag(open_known={picture.key: picture for picture in pictures.pictures}.get)
    markdown = tidy_fragment(_to_html(prepared), shown).replace(BACKSLASH_MARK, "\\")
    blocks = list(_blocks(markdown, has_pages=prepared.has_pages))
    last_page = blocks[-1].page if blocks else None
    if prepared.header:
        blocks.insert(0, Block(markdown="\n".join(prepared.header), page=1 if last_page else None))
    if prepared.footer:
        blocks.append(Block(markdown="\n".join(prepared.footer), page=last_page))
    if prepared.hidden:
        blocks.append(Block(markdown="\n".join(prepared.hidden), hidden=True))
    return ParsedDocument(
        blocks=tuple(blocks),
        title=prepared.title,
        page_count=last_page,
        warnings=tuple(_warnings(prepared)),
        pictures=shown.pictures,
    )


def _to_html(prepared: PreparedDocx) -> str:
    result = mammoth.convert_to_html(
        prepared.container,
        style_map="\n".join(prepared.styles),
        convert_image=mammoth.images.img_element(_key_as_source),
        external_file_access=False,
    )
    html: str = result.value
    return html


def _key_as_source(image: Any) -> dict[str, str]:
    """The prepared container holds the key of a picture in place of its bytes."""
    try:
        with image.open() as content:
            return {"src": content.read().decode("ascii")}
    except (KeyError, OSError, UnicodeDecodeError):
        return {"src": ""}


def _blocks(markdown: str, *, has_pages: bool) -> Iterator[Block]:
    """Yield one block a page; tables and lists stay whole on the page where they begin."""
    page = 1
    lines: list[str] = []
    for paragraph in markdown.split("\n\n"):
        marks = paragraph.count(PAGE_MARK)
        starts_page = paragraph.lstrip("#*- >").startswith(PAGE_MARK)
        text = paragraph.replace(PAGE_MARK, "")
        if marks and starts_page:
            if lines:
                yield Block(markdown="\n\n".join(lines), page=page if has_pages else None)
            lines, page, marks = [], page + marks, 0
        if text.strip():
            lines.append(text)
        if marks:
            if lines:
                yield Block(markdown="\n\n".join(lines), page=page if has_pages else None)
            lines, page = [], page + marks
    if lines:
        yield Block(markdown="\n\n".join(lines), page=page if has_pages else None)


def _warnings(prepared: PreparedDocx) -> Iterator[str]:
    if prepared.has_macros:
        yield "Macros are present and were ignored."
    if prepared.hidden:
        yield "Text that Word does not show was left out."


PARSER = Parser(
    name="docx",
    version="2",
    file_types=frozenset({"docx"}),
    parse=parse_docx,
    label="With headings and tables",
)
