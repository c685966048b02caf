"""Cut a parsed document into chunks, in one pass over its lines.

Order of things: lines become units (`units.py`), units of one section (`sections.py`) are packed up
to the size, units that are too long are cut where it hurts least (`cut.py`), small sections join a
neighbour. A table keeps its rows whole and repeats its header in every slice, code keeps its
fences. Apart from those repeats a chunk is a stretch of the document's text, so its offsets lead
back to it. Which sections there are is decided above (`tiers.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from knowledge.ingest.cut import Slice, cut_unit, overlap_start
from knowledge.ingest.places import ChunkDraft, Places, Stretch
from knowledge.ingest.sections import HeadingPaths, Section, join_small, read_sections
from knowledge.ingest.units import Unit, read_units
from knowledge.parsers.contract import ParsedDocument

SPLITTER_VERSION = "2"
"""Part of the key under which chunks are stored: raise it when the same text is cut otherwise."""
_NEVER_IN_CHUNK = re.compile("[\x00\ud800-\udfff]")
_CHECKED_EVERY = 64
"""Units between two calls of `check`."""
_HEADINGS_IN_A_ROW = 8
"""So many are looked over for what stands below them."""


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
class Outline:
    """A text as the splitter sees it."""

    text: str
    units: Sequence[Unit]
    breaks: Collection[int] = ()
    """Where a section begins without a heading."""
    sections: Literal["kept", "ignored"] = "kept"
    """Whether no chunk goes over the border of a section that is not small."""


def outline_of(document: ParsedDocument) -> Outline:
    """Return the document's text with the units that its Markdown shows."""
    text = clean_text(document)
    return Outline(text=text, units=tuple(read_units(text)))


def clean_text(document: ParsedDocument) -> str:
    """Return the document's text without what no database takes, character for character."""
    text = document.text
    return text if _is_clean(text) else _NEVER_IN_CHUNK.sub("\ufffd", text)


def _is_clean(text: str) -> bool:
    """Say so at once for nearly all texts: encoding is many times faster than a pattern."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text


def split(document: ParsedDocument, settings: SplitSettings) -> tuple[ChunkDraft, ...]:
    """Return the chunks of `document` by its headings, in reading order; none is blank."""
    outline = outline_of(document)
    return Places(document).drafts(outline.text, cut_outline(outline, settings))


def cut_outline(
    outline: Outline, settings: SplitSettings, *, check: Callable[[], None] = lambda: None
) -> list[Stretch]:
    """Return the stretches that become chunks; `check` is called now and then and may raise."""
    if outline.sections == "ignored":
        paths = HeadingPaths(outline.units)
        whole = Section(units=list(outline.units))
        stretches = list(_pack(outline.text, whole, settings, check))
        for stretch in stretches:
            stretch.path = paths.above(stretch.start, stretch.end)
        return stretches
    sections = list(read_sections(outline.units, outline.breaks))
    for section in sections:
        section.stretches = list(_pack(outline.text, section, settings, check))
    joined = join_small(sections, small=settings.small_section, size=settings.size)
    return [stretch for section in joined for stretch in section.stretches]


def _pack(
    text: str, section: Section, settings: SplitSettings, check: Callable[[], None]
) -> Iterator[Stretch]:
    """Fill stretches with the units of one section, in order."""
    current: Stretch | None = None
    is_bare = False
    """Whether it has headings only, which must not stay alone."""
    for number, unit in enumerate(section.units):
        if number % _CHECKED_EVERY == 0:
            check()
        is_heading = unit.kind == "heading"
        if current and is_heading and not is_bare:
            end = _end_below(section.units, number)
            if current.suffix or len(current.prefix) + end - current.start > settings.size:
                yield current
                current = None
        for cut in _slices(text, unit, current if is_bare else None, settings):
            if current and _fits(current, cut, settings.size):
                _add(current, cut, unit)
                continue
            if current:
                yield current
            current = _begun(text, current, cut, unit, section.path, settings)
            is_bare = is_heading
        is_bare = is_bare and is_heading
    if current:
        yield current


def _end_below(units: Sequence[Unit], heading: int) -> int:
    """Return where the first thing under a heading ends, other headings aside."""
    after = heading
    while after + 1 < len(units) and after - heading < _HEADINGS_IN_A_ROW:
        after += 1
        if units[after].kind != "heading":
            break
    return units[after].end


def _slices(text: str, unit: Unit, heading: Stretch | None, settings: SplitSettings) -> list[Slice]:
    """Cut `unit` if it is too long, with room for the heading above so that it is not left alone."""
    room = settings.size
    used = unit.start - heading.start if heading and not heading.suffix else 0
    first_room = room - used if used < room // 2 else room
    if unit.end - unit.start <= first_room:
        return [Slice(unit.start, unit.end)]
    if settings.overlap and unit.kind == "prose":
        room -= settings.overlap
    return cut_unit(text, unit, room=room, first_room=min(room, first_room))


def _fits(current: Stretch, cut: Slice, size: int) -> bool:
    if current.suffix or cut.prefix:
        return False
    return len(current.prefix) + cut.end - current.start + len(cut.suffix) <= size


def _add(current: Stretch, cut: Slice, unit: Unit) -> None:
    current.end, current.suffix = cut.end, cut.suffix
    if unit.kind != "prose":
        current.prose_from = -1
    elif current.prose_from < 0:
        current.prose_from = cut.start


def _begun(
    text: str,
    before: Stretch | None,
    cut: Slice,
    unit: Unit,
    path: tuple[str, ...],
    settings: SplitSettings,
) -> Stretch:
    """Begin a stretch, with the overlap where prose follows the prose of the one before."""
    start = cut.start
    is_prose = unit.kind == "prose"
    if before and settings.overlap and is_prose and before.prose_from >= 0:
        room = min(settings.overlap, settings.size - (cut.end - cut.start))
        found = overlap_start(text, before.prose_from, cut.start, room)
        start = cut.start if found is None else found
    return Stretch(
        start=start,
        end=cut.end,
        path=path,
        prefix=cut.prefix,
        suffix=cut.suffix,
        prose_from=start if is_prose else -1,
    )
