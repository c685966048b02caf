"""References to pictures in a passage's text: `![what it shows](picture:<20 hexadecimal digits>)`.

A reference names a picture by its bytes, not by a row: the same file gives the same text in every
document, so that passages, vectors and kept texts may be taken over. People see the picture; a
model, the indexes and a quote have only the words that stand for it.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from uuid import UUID

LONGEST_WORDS = 300
"""Characters; the splitter keeps a reference whole up to here."""
_MARK = "](picture:"
_REFERENCE = re.compile(r"!\[([^\[\]\n]{0,300})\]\(picture:([0-9a-f]{20})\)")
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_NO_WORDS = re.compile(r"\.(?:png|jpe?g|gif|bmp|tiff?|webp|emf|wmf|svg)$", re.I)


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A picture that a text shows."""

    key: str
    """Names its bytes."""
    words: str
    """What the file says about it; may be blank."""


def write_reference(key: str, words: str) -> str:
    """Return the Markdown that shows a picture."""
    return f"![{clean_words(words)}](picture:{key})"


def clean_words(words: str) -> str:
    """Return a picture's description on one line, without brackets; a file's name is none."""
    words = " ".join(words.translate({91: "(", 93: ")"}).split())[:LONGEST_WORDS].strip()
    return "" if _NO_WORDS.search(words) else words


def references_of(text: str) -> list[Reference]:
    """Return the pictures of a text in their order, each once."""
    if _MARK not in text:
        return []
    found: dict[str, Reference] = {}
    for words, key in _REFERENCE.findall(text):
        found.setdefault(key, Reference(key=key, words=words.replace("\\", "")))
    return list(found.values())


def without_references(text: str) -> str:
    """Return a text with the words of its pictures in their place."""
    if _MARK not in text:
        return text
    return _BLANK_LINES.sub("\n\n", _REFERENCE.sub(r"\1", text)).strip()


def replace_references(text: str, markdown: dict[str, str]) -> str:
    """Put `markdown` in the place of references by their key; others become their words."""
    if _MARK not in text:
        return text
    return _REFERENCE.sub(lambda found: markdown.get(found[2], found[1]), text)


def drop_references(text: str, keys: set[str]) -> str:
    """Replace only the references of these keys by their words."""
    return _REFERENCE.sub(lambda found: found[1] if found[2] in keys else found[0], text)


def picture_id(document_id: UUID, key: str) -> UUID:
    """Return the id that the row of a document's picture has."""
    return uuid.uuid5(document_id, f"picture:{key}")
