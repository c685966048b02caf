"""What of a passage is embedded and indexed: its text under its document's title and headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from knowledge.text.pictures import without_references

_NAME_OF_A_MACHINE = re.compile(r"[\W_]*(?:[0-9a-f]{8,}|\d+|[a-z]{0,2}\d+)?[\W_]*", re.IGNORECASE)
_TELLING = re.compile("[^\\W\\d_]{3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}")
_START = 300


def title_of(document_name: str) -> str:
    """Return the title that a file's name gives: without extension and underscores."""
    path = PurePosixPath(document_name)
    is_extension = 1 < len(path.suffix) <= 6 and " " not in path.suffix
    stem = path.stem if is_extension else path.name
    return " ".join(stem.replace("_", " ").split())


def says_something(title: str) -> bool:
    """Say whether a title is made of words, not a scan's number or a hash."""
    return bool(_TELLING.search(title)) and not _NAME_OF_A_MACHINE.fullmatch(title)


INDEXED_AS = "indexed_as"
"""Key of `Chunk.detail`: what is embedded and indexed in place of what is read."""


def text_to_embed(*, document_name: str, heading_path: Sequence[str], text: str) -> str:
    """Return the passage under its title and headings, one a line; none is said twice."""
    text = without_references(text)
    title = title_of(document_name)
    above = [title] if says_something(title) else []
    above += heading_path
    start = text[:_START]
    lines = list(dict.fromkeys(line for line in above if line and line not in start))
    return "\n".join([*lines, text])


def text_to_index(*, document_name: str, heading_path: Sequence[str], text: str) -> str:
    """Return what keywords are made of. A name such as RO-20221108.pdf is all that some ask for."""
    return "\n".join([title_of(document_name), *heading_path, without_references(text)])
