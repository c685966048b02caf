"""Texts of a call's arguments in the forms in which patterns look for danger.

A model writes the arguments, and what it read may tell it how. So what a shell or a database would
not tell apart is made equal first: case, white space, quotes inside of words, comments.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from typing import Any

import regex

MAX_DEPTH = 12
_FORMAT_CHARACTERS = regex.compile(r"\p{Cf}")
_CONTINUED_LINE = regex.compile(r"\\\r?\n")
_FIELD_SEPARATOR = regex.compile(r"\$\{ifs\}|\$ifs\b")
_QUOTES = regex.compile(r"[\"'`]")
_ESCAPED_LETTER = regex.compile(r"\\(?=[a-z0-9_-])")
_BLANKS = regex.compile(r"[^\S\n]+")
_SPACE = regex.compile(r"\s+")
_EXECUTABLE_COMMENT = regex.compile(r"/\*!\d*(.*?)\*/", regex.DOTALL)
_BLOCK_COMMENT = regex.compile(r"/\*.*?(?:\*/|\Z)", regex.DOTALL)
_LINE_COMMENT = regex.compile(r"--(?=\s|$)[^\n]*", regex.MULTILINE)
_LITERAL = regex.compile(r"'((?:[^'\\]|\\.|'')*+)'|\"((?:[^\"\\]|\\.)*+)\"", regex.DOTALL)


def texts_in(value: Any, *, depth: int = 0) -> Iterator[str]:
    """Yield every text of a JSON value, keys too; a list of words also as one line.

    A text that is JSON itself is read, so that an escape hides nothing.
    """
    if depth > MAX_DEPTH:
        yield json.dumps(value, ensure_ascii=False, default=str)
    elif isinstance(value, str):
        yield value
        if value.lstrip()[:1] in ("{", "["):
            yield from _texts_of_json(value, depth)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from texts_in(each, depth=depth + 1)
    elif isinstance(value, list | tuple):
        words = [each for each in value if isinstance(each, str)]
        if len(words) > 1:
            yield " ".join(words)
        for each in value:
            yield from texts_in(each, depth=depth + 1)


def _texts_of_json(text: str, depth: int) -> Iterator[str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    yield from texts_in(value, depth=depth + 1)


def as_shell(text: str) -> str:
    """Return the text as a shell reads words: one line a command, no quotes, one blank."""
    plain = _CONTINUED_LINE.sub("", _plain(text))
    plain = _FIELD_SEPARATOR.sub(" ", plain)
    plain = _ESCAPED_LETTER.sub("", _QUOTES.sub("", plain))
    return _BLANKS.sub(" ", plain)


def as_statements(text: str) -> list[str]:
    """Return the SQL statements of a text: no comments, literals empty and read on their own."""
    plain = _EXECUTABLE_COMMENT.sub(r" \1 ", _plain(text))
    plain = _LINE_COMMENT.sub(" ", _BLOCK_COMMENT.sub(" ", plain))
    found: list[str] = []
    waiting = [plain]
    for _ in range(MAX_DEPTH):
        inner: list[str] = []
        for each in waiting:
            inner += [one or two for one, two in _LITERAL.findall(each) if one or two]
            found += _LITERAL.sub(lambda match: match[0][0] * 2, each).split(";")
        waiting = inner
    return [_SPACE.sub(" ", each).strip() for each in found if each.strip()]


def _plain(text: str) -> str:
    return _FORMAT_CHARACTERS.sub("", unicodedata.normalize("NFKC", text)).casefold()
