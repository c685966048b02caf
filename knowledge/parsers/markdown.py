"""Markdown: kept as it is, with its front matter as metadata."""

from __future__ import annotations

import re

from knowledge.parsers.contract import Block, ParsedDocument, Parser
from knowledge.parsers.encodings import decode_text
from knowledge.parsers.pictures import PictureBag
from knowledge.parsers.plain_text import decoding_warnings

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_FIELD = re.compile(r"(?m)^([A-Za-z][\w -]{0,40}):[ \t]*(.+)$")
_DATA_PICTURE = re.compile(r"!\[([^\[\]\n]{0,300})\]\((data:image/[^()\s]+)[^()\n]{0,300}\)")
_FENCE = re.compile(r"(?ms)^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?^ {0,3}\1[^\n]*$")
_FIRST_HEADING = re.compile(r"(?m)^# +(.+?)[ #]*$")


def parse_markdown(content: bytes, _name: str) -> ParsedDocument:
    """Return the Markdown; comments are hidden blocks, since a reader does not see them."""
    decoded = decode_text(content)
    text, metadata = _without_front_matter(decoded.text)
    visible, comments = _without_comments(text)
    bag = PictureBag()
    visible = _with_references(visible, bag)
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
        pictures=bag.pictures,
    )


def _with_references(text: str, bag: PictureBag) -> str:
    """Take pictures that the text itself holds out of it; addresses of others stay."""
    if "](data:image/" not in text:
        return text
    return _DATA_PICTURE.sub(lambda found: bag.add_source(found[2], words=found[1]), text)


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
    parts: list[str] = []
    position = 0
    for code in _FENCE.finditer(text) if "<!--" in text else ():
        parts += [_take_comments(text[position : code.start()], comments), code.group(0)]
        position = code.end()
    parts.append(_take_comments(text[position:], comments))
    return "".join(parts), comments


def _take_comments(text: str, comments: list[str]) -> str:
    """Return `text` without its comments; one that never ends is none."""
    kept: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            break
        kept.append(text[position:start])
        if comment := text[start + 4 : end].strip():
            comments.append(comment)
        position = end + 3
    kept.append(text[position:])
    return "".join(kept)


PARSER = Parser(
    name="markdown",
    version="2",
    file_types=frozenset({"md"}),
    parse=parse_markdown,
    label="As it is",
)
