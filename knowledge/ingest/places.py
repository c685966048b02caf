"""Chunks before they are stored, and where they lie on the pages of their document."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.parsers.contract import Box, ParsedDocument

_BLOCK_BORDER = 2
"""Length of the blank line between two blocks in `ParsedDocument.text`."""


@dataclass(frozen=True, kw_only=True)
class ChunkDraft:
    """A chunk before it is stored."""

    index: int
    text: str
    heading_path: tuple[str, ...] = ()
    """Headings that hold for the whole chunk, outermost first."""
    page_from: int | None = None
    page_to: int | None = None
    box: Box | None = None
    """Union of its blocks' boxes, when they all lie on one page."""
    char_start: int
    char_end: int
    """The stretch of `ParsedDocument.text` that the chunk stands for."""
    content_hash: str
    """SHA-256 of `text`."""
    prefix_length: int = 0
    """So many characters of `text` are repeated from above: a table's header, the fence of code."""
    parent: int | None = None
    """Index of the parent that it is a part of; None where it stands alone."""


@dataclass(kw_only=True, slots=True)
class Stretch:
    """A chunk in the making: a part of the text with what is written around it."""

    start: int
    end: int
    path: tuple[str, ...]
    prefix: str = ""
    suffix: str = ""
    prose_from: int = -1
    """Where the run of prose begins that it ends with; -1 where it ends with something else."""

    @property
    def length(self) -> int:
        """Characters of the chunk that it becomes."""
        return len(self.prefix) + self.end - self.start + len(self.suffix)

    def text_of(self, text: str) -> str:
        """Return the chunk's text."""
        return self.prefix + text[self.start : self.end] + self.suffix


class Places:
    """Where the stretches of a document's text lie on its pages."""

    def __init__(self, document: ParsedDocument) -> None:
        """Note where each block begins."""
        self.blocks = [block for block in document.blocks if not block.hidden]
        self.starts: list[int] = []
        position = 0
        for block in self.blocks:
            self.starts.append(position)
            position += len(block.markdown) + _BLOCK_BORDER

    def drafts(
        self, text: str, stretches: Sequence[Stretch], parents: Sequence[int | None] = ()
    ) -> tuple[ChunkDraft, ...]:
        """Return the chunks with pages and boxes; `parents` has the parent of each, if any."""
        of = parents or [None] * len(stretches)
        return tuple(
            self._draft(index, text, stretch, parent)
            for index, (stretch, parent) in enumerate(zip(stretches, of, strict=True))
        )

    def _draft(self, index: int, text: str, stretch: Stretch, parent: int | None) -> ChunkDraft:
        first = max(0, bisect_right(self.starts, stretch.start) - 1)
        blocks = self.blocks[first : bisect_left(self.starts, stretch.end)]
        pages = [block.page for block in blocks if block.page is not None]
        boxes = [block.box for block in blocks if block.box is not None]
        on_one_page = len(set(pages)) == 1 and len(boxes) == len(blocks)
        chunk = stretch.text_of(text)
        return ChunkDraft(
            index=index,
            text=chunk,
            heading_path=stretch.path,
            page_from=min(pages, default=None),
            page_to=max(pages, default=None),
            box=_union(boxes) if on_one_page else None,
            char_start=stretch.start,
            char_end=stretch.end,
            content_hash=hashlib.sha256(chunk.encode()).hexdigest(),
            prefix_length=len(stretch.prefix),
            parent=parent,
        )


def _union(boxes: list[Box]) -> Box:
    return Box(
        left=min(box.left for box in boxes),
        top=min(box.top for box in boxes),
        right=max(box.right for box in boxes),
        bottom=max(box.bottom for box in boxes),
    )
