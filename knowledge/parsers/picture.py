"""Pictures (PNG, JPEG) as documents: one page without text, for OCR to try."""

from __future__ import annotations

from knowledge.parsers.contract import ParsedDocument, Parser


def parse_picture(_content: bytes, _name: str) -> ParsedDocument:
    """Return a document of one page that holds a picture."""
    return ParsedDocument(blocks=(), page_count=1, pages_without_text=(1,))


PARSER = Parser(
    name="picture", version="1", file_types=frozenset({"png", "jpg"}), parse=parse_picture
)
