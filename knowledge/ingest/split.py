"""Cut a parsed document into chunks, in one pass over its lines.

Order of things: lines become units (`units.py`), units of one section are packed up to the size,
units that are too long are cut where it hurts least (`cut.py`), small sections join a neighbour.
A table keeps its rows whole and repeats its header in every slice, code keeps its fences. Apart
from those repeats a chunk is a stretch of the document's text, so its offsets lead back to it.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from knowledge.ingest.cut import Slice, cut_unit, overlap_start
from knowledge.ingest.units import Unit, read_units
from knowledge.parsers.contract import Box, ParsedDocument

SPLITTER_VERSION = "1"
"""Part of the key under which chunks are stored: raise it when the same text is cut otherwise."""
_NEVER_IN_CHUNK = re.compile("[\x00\ud800-\udfff]")
_BLOCK_BORDER = 2
"""Length of the blank line between two blocks in `ParsedDocument.text`."""


@dataclass(frozen=True, kw_only=True)
class SplitSettings:
    """How to cut."""

    size: int = 1_200
    """Most characters of a chunk."""
    overlap: int = 0
    """Up to so many characters of whole sentences are repeated from the chunk before."""
    small_section: int = 200
    """Sections with fewer characters join a neighbour."""

    def __post_init__(self) -> None:
        if self.size < 100:
            raise ValueError(f"size is {self.size}; a chunk needs room for 100 characters.")
        if not 0 <= self.overlap <= self.size // 2:
            raise ValueError(f"overlap is {self.overlap}; use 0 to {self.size // 2}.")


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


@dataclass(kw_only=True, slots=True)
class _Stretch:
    """A chunk in the making."""

    start: int
    end: int
    path: tuple[str, ...]
    prefix: str = ""
    suffix: str = ""

    @property
    def length(self) -> int:
        return len(self.prefix) + self.end - self.start + len(self.suffix)


@dataclass
class _Section:
    """A heading with what follows it up to the next."""

    level: int = 0
    path: tuple[str, ...] = ()
    units: list[Unit] = field(default_factory=list)
    stretches: list[_Stretch] = field(default_factory=list)

    def is_smaller_than(self, size: int) -> bool:
        return len(self.stretches) == 1 and self.stretches[0].length < size


def split(document: ParsedDocument, settings: SplitSettings) -> tuple[ChunkDraft, ...]:
    """Return the chunks of `document` in reading order; none is blank."""
    text = _NEVER_IN_CHUNK.sub("\ufffd", document.text)
    sections = list(_sections(text))
    for section in sections:
        section.stretches = list(_pack(text, section, settings))
    places = _Places(document)
    drafts: list[ChunkDraft] = []
    for section in _join_small(sections, settings):
        for stretch in section.stretches:
            chunk = stretch.prefix + text[stretch.start : stretch.end] + stretch.suffix
            drafts.append(places.draft(len(drafts), chunk, stretch))
    return tuple(drafts)


def _sections(text: str) -> Iterator[_Section]:
    section = _Section()
    headings: list[Unit] = []
    for unit in read_units(text):
        if unit.kind == "heading":
            if section.units:
                yield section
            headings = [heading for heading in headings if heading.level < unit.level] + [unit]
            path = tuple(heading.title for heading in headings if heading.title)
            section = _Section(level=unit.level, path=path)
        section.units.append(unit)
    if section.units:
        yield section


def _pack(text: str, section: _Section, settings: SplitSettings) -> Iterator[_Stretch]:
    """Fill stretches with the units of one section, in order."""
    current: _Stretch | None = None
    for number, unit in enumerate(section.units):
        after_heading = number == 1 and section.units[0].kind == "heading"
        for cut in _slices(text, unit, current if after_heading else None, settings):
            if current and _fits(current, cut, settings.size):
                current.end, current.suffix = cut.end, cut.suffix
                continue
            start = cut.start
            if current:
                yield current
                if settings.overlap and not current.suffix and not cut.prefix:
                    start = _overlapping_start(text, current, cut, settings)
            current = _Stretch(
                start=start, end=cut.end, path=section.path, prefix=cut.prefix, suffix=cut.suffix
            )
    if current:
        yield current


def _slices(
    text: str, unit: Unit, heading: _Stretch | None, settings: SplitSettings
) -> list[Slice]:
    """Cut `unit` if it is too long, with room for the heading above so that it is not left alone."""
    room = settings.size
    used = unit.start - heading.start if heading and not heading.suffix else 0
    first_room = room - used if used < room // 2 else room
    if unit.end - unit.start <= first_room:
        return [Slice(unit.start, unit.end)]
    if settings.overlap and unit.kind == "prose":
        room -= settings.overlap
    return cut_unit(text, unit, room=room, first_room=min(room, first_room))


def _fits(current: _Stretch, cut: Slice, size: int) -> bool:
    if current.suffix or cut.prefix:
        return False
    return len(current.prefix) + cut.end - current.start + len(cut.suffix) <= size


def _overlapping_start(text: str, before: _Stretch, cut: Slice, settings: SplitSettings) -> int:
    room = min(settings.overlap, settings.size - (cut.end - cut.start + len(cut.suffix)))
    start = overlap_start(text, before.start, cut.start, room)
    return cut.start if start is None else start


def _join_small(sections: list[_Section], settings: SplitSettings) -> list[_Section]:
    """Join a small section to the next of its level or below, or else to its elder sibling."""
    joined: list[_Section] = []
    for section in sections:
        before = joined[-1] if joined else None
        if (
            before
            and _belong_together(before, section, settings.small_section)
            and _join(before, section, settings.size)
        ):
            continue
        joined.append(section)
    return joined


def _belong_together(before: _Section, section: _Section, small: int) -> bool:
    if before.is_smaller_than(small):
        return section.level >= before.level
    return section.level == before.level and section.is_smaller_than(small)


def _join(before: _Section, section: _Section, size: int) -> bool:
    """Make the last stretch of `before` and the first of `section` one, when they fit."""
    left, right = before.stretches[-1], section.stretches[0]
    if left.suffix or right.prefix or right.end - left.start + len(right.suffix) > size:
        return False
    is_below = right.path[: len(left.path)] == left.path
    path = right.path if is_below else _common(left.path, right.path)
    one = replace(left, end=right.end, suffix=right.suffix, path=path)
    before.stretches = [*before.stretches[:-1], one, *section.stretches[1:]]
    return True


def _common(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    shared = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        shared += 1
    return left[:shared]


class _Places:
    """Where the stretches of a document's text lie on its pages."""

    def __init__(self, document: ParsedDocument) -> None:
        self.blocks = [block for block in document.blocks if not block.hidden]
        self.starts: list[int] = []
        position = 0
        for block in self.blocks:
            self.starts.append(position)
            position += len(block.markdown) + _BLOCK_BORDER

    def draft(self, index: int, chunk: str, stretch: _Stretch) -> ChunkDraft:
        """Return the chunk with pages and box."""
        first = max(0, bisect_right(self.starts, stretch.start) - 1)
        blocks = self.blocks[first : bisect_left(self.starts, stretch.end)]
        pages = [block.page for block in blocks if block.page is not None]
        boxes = [block.box for block in blocks if block.box is not None]
        on_one_page = len(set(pages)) == 1 and len(boxes) == len(blocks)
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
        )


def _union(boxes: list[Box]) -> Box:
    return Box(
        left=min(box.left for box in boxes),
        top=min(box.top for box in boxes),
        right=max(box.right for box in boxes),
        bottom=max(box.bottom for box in boxes),
    )
