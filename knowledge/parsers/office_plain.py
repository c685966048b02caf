"""Word and PowerPoint (OOXML), the other engine: nothing but the text of their XML, for odd files."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator

from lxml import etree

from knowledge.parsers.contract import Block, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.office_xml import core_title, open_container

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_SLIDE = re.compile(r"ppt/slides/slide(\d+)\.xml")


def parse_office_plain(content: bytes, _name: str) -> ParsedDocument:
    """Return the paragraphs, slides as pages.

    Raises:
        ParseRefused: damaged.
    """
    with open_container(content) as archive:
        slides = sorted(
            (int(found.group(1)), found.group())
            for name in archive.namelist()
            if (found := _SLIDE.fullmatch(name))
        )
        parts: list[tuple[int | None, str]] = [*slides] or [(None, "word/document.xml")]
        blocks = tuple(
            Block(markdown=text, page=page)
            for page, part in parts
            for text in _paragraphs(archive, part)
        )
        try:
            title = core_title(archive)
        except ParseRefused:
            title = ""
    return ParsedDocument(blocks=blocks, title=title, page_count=len(slides) or None)


def _paragraphs(archive: zipfile.ZipFile, name: str) -> Iterator[str]:
    """Yield what can be read of a part, even of one that is cut off."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, recover=True
    )
    try:
        root = etree.fromstring(archive.read(name), parser)
    except (KeyError, etree.XMLSyntaxError, zipfile.BadZipFile, OSError):
        return
    if root is None:
        return
    for paragraph in root.iter(_WORD + "p", _DRAWING + "p"):
        text = "".join(_texts(paragraph)).strip()
        if text:
            yield text


def _texts(paragraph: etree._Element) -> Iterator[str]:
    for node in paragraph.iter(_WORD + "t", _DRAWING + "t", _WORD + "tab", _WORD + "br"):
        yield (node.text or "") if node.tag.endswith("}t") else " "


PARSER = Parser(
    name="office-plain",
    version="1",
    file_types=frozenset({"docx", "pptx"}),
    parse=parse_office_plain,
    rank=1,
    label="As plain text",
)
