"""Plain text: paragraphs as they are."""

from __future__ import annotations

import re

from knowledge.parsers.contract import Block, ParsedDocument, Parser
from knowledge.parsers.encodings import DecodedText, decode_text

_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
_MARKDOWN_LINE = re.compile(r"(?m)^(?=#{1,6} |```|~~~)")


def parse_plain_text(content: bytes, _name: str) -> ParsedDocument:
    """Return the text with each form feed as a page border."""
    decoded = decode_text(content)
    # A line that only looks like Markdown must not become a heading or open a fence.
    text = _MARKDOWN_LINE.sub("\\\\", decoded.text)
    pages = text.split("\f")
    with_pages = len(pages) > 1
    blocks = tuple(
        Block(
            markdown=_BLANK_LINES.sub("\n\n", page).strip("\n"), page=number if with_pages else None
        )
        for number, page in enumerate(pages, start=1)
        if page.strip()
    )
    return ParsedDocument(
        blocks=blocks,
        page_count=len(pages) if with_pages else None,
        warnings=decoding_warnings(decoded),
        metadata={"encoding": decoded.encoding},
    )


def decoding_warnings(decoded: DecodedText) -> tuple[str, ...]:
    """Return a sentence when bytes did not fit the encoding."""
    if not decoded.damaged:
        return ()
    return (
        f"Some characters could not be read: the file looks like {decoded.encoding} but has bytes "
        "that do not fit it. Save it as UTF-8.",
    )


PARSERS = (
    Parser(
        name="text",
        version="1",
        file_types=frozenset({"txt"}),
        parse=parse_plain_text,
        label="As it is",
    ),
    Parser(
        name="text-source",
        version="1",
        file_types=frozenset({"md", "csv", "json"}),
        parse=parse_plain_text,
        rank=1,
        label="As plain text",
    ),
)
