"""Markdown: kept as it is, with its front matter as metadata."""

from __future__ import annotations

import re

from knowledge.parsers.contract import Block, ParsedDocument, Parser
from knowledge.parsers.encodings import decode_text
from knowledge.parsers.plain_text import decoding_warnings

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_FIELD = re.compile(r"(?m)^([A-Za-z][\w -]{0,40}):[ \t]*(.+)$")
_HTML_COMMENT = re.compile(r"<!--.*?-->", re.S)
_FENCE = re.compile(r"(?ms)^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?^ {0,3}\1[^\n]*$")
_FIRST_HEADING = re.compile(r"(?m)^# +(.+?)[ #]*$")


def parse_markdown(content: bytes, _name: str) -> ParsedDocument:
    """Return the Markdown; comments are hidden blocks, since a reader does not see them."""
    decoded = decode_text(content)
    text, metadata = _without_front_matter(decoded.text)
    visible, comments = _without_comments(text)
    title = metadata.get("title", "")
    if not title and (first := _FIRST_HEADING.search(visible)):
        title = first.group(1).strip()
    blocks = [Block(markdown=visible.strip("\n"))] if visible.strip() else []
    blocks += [Block(markdown=comment, hidden=True) for comment in comments]
    return ParsedDocument(
        blocks=tuple(blocks),
        title=title,
        warnings=decoding_warnings(decoded),
        metadata=metadata | {"encoding": decoded.encoding},
    )


def _without_front_matter(text: str) -> tuple[str, dict[str, str]]:
    found = _FRONT_MATTER.match(text)
    if not found:
        return text, {}
    fields = {
        key.strip().lower(): value.strip(" \"'") for key, value in _FIELD.findall(found.group(1))
    }
    return text[found.end() :], fields


def _without_comments(text: str) -> tuple[str, list[str]]:
    """Take the HTML comments out of what is not code."""
    comments: list[str] = []

    def take(found: re.Match[str]) -> str:
        comments.append(found.group(0)[4:-3].strip())
        return ""

    parts: list[str] = []
    position = 0
    for code in _FENCE.finditer(text):
        parts += [_HTML_COMMENT.sub(take, text[position : code.start()]), code.group(0)]
        position = code.end()
    parts.append(_HTML_COMMENT.sub(take, text[position:]))
    return "".join(parts), [comment for comment in comments if comment]


PARSER = Parser(name="markdown", version="1", file_types=frozenset({"md"}), parse=parse_markdown)
