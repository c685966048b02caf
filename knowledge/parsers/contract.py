"""What every parser takes and gives. Pure values: they cross a process boundary as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
class Member:
    """A file inside of a file: one of an archive, an attachment of a mail."""

    path: str
    """Its name with the folders above it, joined by "/"."""
    size_bytes: int


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture inside of a document; its bytes are asked for later."""

    key: str
    """Names its bytes, and stands in the references of the text: `knowledge.text.pictures`."""
    width: int
    height: int
    size_bytes: int
    """As the file has it."""
    words: str = ""
    """What the file says about it."""
    page: int | None = None
    """Where it stands first."""
    box: Box | None = None


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
    members: tuple[Member, ...] = ()
    """Files to become documents of their own; `Parser.open_members` gives their bytes, in this order."""
    speech_type: str = ""
    """Media type of a recording: its words come from a speech model, not from here."""
    page_ink: dict[int, float] = field(default_factory=dict)
    """Share of a page that is drawn on, for pages with little text: see `knowledge.health`."""
    ocr_scores: dict[int, float] = field(default_factory=dict)
    """How sure OCR was of each page that it read, 0..1."""
    pictures: tuple[Picture, ...] = ()
    """Those that the blocks refer to; each once, in the order in which they were met."""

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
    """One engine: which file types it reads and the function that does."""

    name: str
    """Also the engine's name in the settings of a base."""
    version: str
    file_types: frozenset[str]
    """Our names of types, see `filetypes.py`: "pdf", "docx", …"""
    parse: Callable[[bytes, str], ParsedDocument]
    """(content, file name) -> document; raises ParseRefused."""
    rank: int = 0
    """Of several engines for a type the lowest is asked first, the others when it fails."""
    automatic: bool = True
    """Asked when others fail; False for an engine that only a person's choice may use."""
    label: str = ""
    """What a person chooses: "As plain text"."""
    open_members: Callable[[bytes], Iterator[bytes]] | None = None
    """Yields the content of each of `ParsedDocument.members`, in their order."""
    open_pictures: Callable[[bytes], Iterator[tuple[str, bytes]]] | None = None
    """Yields key and content of `ParsedDocument.pictures`; None: what `parse` puts into its bag."""
