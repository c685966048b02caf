"""Gates of nested text: HTML, JSON and RTF that go deeper than a parser's stack."""

from __future__ import annotations

import re

from knowledge.parsers.contract import ParseRefused

_HTML_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*)[^<>]*?(/?)>")
_NEVER_CLOSED = frozenset(
    b"area base br col embed hr img input link meta param source track wbr"
    b" p li dt dd tr td th tbody thead tfoot option".split()
)
"""Void elements, and those whose end tag may be left out."""
_JSON_BRACKET = re.compile(rb"[\[\]{}]")
_RTF_BRACE = re.compile(rb"\\[{}\\]|[{}]")


def check_html_depth(content: bytes, most: int) -> None:
    """Refuse pages that nest deeper than `most`.

    Raises:
        ParseRefused: hostile.
    """
    depth = 0
    for closing, name, self_closed in _HTML_TAG.findall(content):
        if self_closed or name.lower() in _NEVER_CLOSED:
            continue
        depth = max(depth - 1, 0) if closing else depth + 1
        if depth > most:
            raise _too_deep("page")


def check_json_depth(content: bytes, most: int) -> None:
    """Refuse JSON that nests deeper than `most`.

    Raises:
        ParseRefused: hostile.
    """
    # Wide encodings only have more bytes between the brackets.
    plain = content.replace(b"\0", b"").replace(b"\\\\", b"").replace(b'\\"', b"")
    depth = 0
    for outside in plain.split(b'"')[::2]:
        for bracket in _JSON_BRACKET.findall(outside):
            depth += 1 if bracket in b"[{" else -1
            if depth > most:
                raise _too_deep("JSON")


def check_rtf_depth(content: bytes, most: int) -> None:
    """Refuse RTF whose groups nest deeper than `most`.

    Raises:
        ParseRefused: hostile.
    """
    depth = 0
    for token in _RTF_BRACE.findall(content):
        if token == b"{":
            depth += 1
            if depth > most:
                raise _too_deep("document")
        elif token == b"}":
            depth -= 1


def _too_deep(what: str) -> ParseRefused:
    return ParseRefused(
        "hostile",
        f"The {what} is nested so deeply that no program could show it. Save it anew or as PDF.",
    )
