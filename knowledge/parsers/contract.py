"""What every parser takes and gives. Pure values: they cross a process boundary as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

RefusalCode = Literal[
    "empty",
    "type_unknown",
    "type_mismatch",
    "too_large",
    "hostile",
    "encrypted",
    "no_text",
    "damaged",
    "out_of_memory",
    "timed_out",
    "crashed",
    "binary",
]


@dataclass(frozen=True, kw_only=True)
class Box:
    """A rectangle on a page in fractions of its size: 0..1 from the top left."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, kw_only=True)
class Block:
    """A run of Markdown lines that came from one place of the document."""

    markdown: str
    page: int | None = None
    """Page or slide from 1; None where the format has no pages."""
    box: Box | None = None
    hidden: bool = False
    """Invisible or off-page text: kept out of what a model reads unless the page has no other."""


@dataclass(frozen=True, kw_only=True)
class ParsedDocument:
    """A document as Markdown blocks in reading order."""

    blocks: tuple[Block, ...]
    title: str = ""
    page_count: int | None = None
    parser: str = ""
    """Name and version of the parser, part of the key under which its output is stored."""
    warnings: tuple[str, ...] = ()
    """Sentences for the owner, e.g. "Macros are present and were ignored."."""
    pages_without_text: tuple[int, ...] = ()
    """Pages that hold a picture but no text: candidates for OCR."""
    metadata: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All visible Markdown, blocks divided by a blank line."""
        return "\n\n".join(block.markdown for block in self.blocks if not block.hidden)


class ParseRefused(Exception):
    """The file is not read, for a reason that its owner can act on."""

    def __init__(self, code: RefusalCode, reason: str) -> None:
        super().__init__(reason)
        self.code: RefusalCode = code
        self.reason = reason
        """One or two sentences: what is wrong and what to do about it."""


@dataclass(frozen=True, kw_only=True)
class Parser:
    """One parser: which file types it reads and the function that does."""

    name: str
    version: str
    file_types: frozenset[str]
    """Our names of types, see `filetypes.py`: "pdf", "docx", …"""
    parse: Callable[[bytes, str], ParsedDocument]
    """(content, file name) -> document; raises ParseRefused."""
