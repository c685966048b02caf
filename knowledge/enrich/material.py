"""What a model is given of a document: its name, what its owner noted, and its text within a budget."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from knowledge.models import Chunk, Document
from knowledge.text.pictures import without_references

LEFT_OUT = "\n\n[… {count} characters are left out here …]\n\n"
_HEAD_SHARE = 0.7


def about(document: Document) -> str:
    """Return the document's name and its owner's fields, one a line."""
    folder = f"{document.folder_path}/" if document.folder_path else ""
    lines = [f"Name: {folder}{document.name}"]
    lines += [f"{key}: {value}" for key, value in document.metadata.items()]
    return "\n".join(lines)


def head_and_tail(passages: Sequence[Chunk], *, most_characters: int) -> str:
    """Return the text of the passages; of a long one beginning and end, and that something lacks."""
    whole = "\n\n".join(without_references(passage.text) for passage in passages)
    if len(whole) <= most_characters:
        return whole
    head = int(most_characters * _HEAD_SHARE)
    tail = most_characters - head
    return whole[:head] + LEFT_OUT.format(count=len(whole) - head - tail) + whole[-tail:]


def fingerprint(document: Document, passages: Sequence[Chunk]) -> str:
    """Name what a text about the whole document is made from: a change gives another name."""
    parts = [document.name, document.folder_path, json.dumps(document.metadata, sort_keys=True)]
    parts += [passage.content_hash for passage in passages]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
