"""Where sections begin in a text that has no headings: chapters, numbers, capitals, page ends.

The lines that name a section become headings, so that the splitter and the breadcrumbs treat them
as such; the other borders begin a section that has no name.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from knowledge.ingest.units import Line, Unit, read_lines

BoundaryKind = Literal[
    "form_feed", "numbered", "chapter", "capitals", "separator", "page_footer", "blank_lines"
]
PRIORITIES: dict[BoundaryKind, int] = {
    "form_feed": 100,
    "numbered": 90,
    "chapter": 85,
    "capitals": 70,
    "separator": 60,
    "page_footer": 50,
    "blank_lines": 40,
}
"""The stronger border names a place where two fall together; below 50 it is the packer's own."""
_LONGEST_TITLE = 90
_NUMBERED = re.compile(
    r"[ \t]{0,3}(?:(?P<law>§+ ?\d+[a-z]?|Art(?:icle|ikel|\.) ?\d+)|(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}))"
    r"[.):]?[ \t]+(?=[^\W\d_a-z])"
)
_CHAPTER = re.compile(
    r"[ \t]*(?:(?:chapter|part|appendix|annex|kapitel|teil|abschnitt|anhang)[ \t]+"
    r"(?:\d{1,3}|[ivxlc]{1,7}|[a-z])(?![^\W_])|第[一二三四五六七八九十百千零〇两\d]{1,6}[章节節篇部卷回条條])",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"[ \t]*(?:[-_=~]{3,}|(?:[*#•][ \t]?){3,})[ \t]*")
_FOOTER = re.compile(
    r"[ \t]*(?:(?:page|seite|p\.|s\.)[ \t]*\d{1,5}(?:[ \t]*(?:of|von|/)[ \t]*\d{1,5})?"
    r"|[-–—][ \t]*\d{1,5}[ \t]*[-–—]|\d{1,5}[ \t]*/[ \t]*\d{1,5}|第[ \t]*\d{1,5}[ \t]*[页頁].{0,20})[ \t]*",
    re.IGNORECASE,
)
_FIRST = frozenset("0123456789§-–—_=~*#•第")
_STARTS: tuple[str, ...] = (
    *("chap", "part", "appe", "anne", "art", "page", "p.", "s."),
    *("kapi", "teil", "absc", "anha", "seit"),
)
"""With `_FIRST` how a border may begin, to pass over other lines at once."""
_ENDS_A_SENTENCE = tuple(".,;:。，；：、!?！？")


class Boundary(NamedTuple):
    """A border between sections."""

    kind: BoundaryKind
    start: int
    end: int
    """Of its line; a form feed is one character."""
    level: int = 0
    """As a heading has it; 0 where it has no title."""
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class Markers:
    """The borders of a text."""

    found: tuple[Boundary, ...]

    @property
    def counts(self) -> dict[BoundaryKind, int]:
        """How many there are of each kind."""
        return dict(Counter(each.kind for each in self.found))


def find_markers(text: str, units: Sequence[Unit]) -> Markers:
    """Find the borders in the prose of a text, in order."""
    found: list[Boundary] = []
    for unit in units:
        if unit.kind == "prose":
            found += _in_prose(text, unit)
    found += _form_feeds(text, units)
    found += _blank_runs(text, units)
    return Markers(found=tuple(sorted(_without_lists(found), key=lambda each: each.start)))


def apply_markers(
    text: str, units: Sequence[Unit], markers: Markers
) -> tuple[tuple[Unit, ...], frozenset[int]]:
    """Return the units with headings where markers name a section, and the unnamed breaks."""
    strong = [each for each in markers.found if PRIORITIES[each.kind] >= 50]
    starts = [each.start for each in strong]
    result: list[Unit] = []
    breaks = {each.end for each in strong if each.kind == "form_feed"}
    for unit in units:
        low, high = bisect_left(starts, unit.start), bisect_left(starts, unit.end)
        if unit.kind == "prose" and low < high:
            result += _divided(text, unit, strong[low:high], breaks)
        else:
            result.append(unit)
    return tuple(result), frozenset(_to_units(breaks, result))


def _in_prose(text: str, unit: Unit) -> Iterator[Boundary]:
    lines = read_lines(text, unit.start, unit.end)
    for number, whole in enumerate(lines):
        line = _after_form_feed(whole) if "\f" in whole.text else whole
        if not _may_be_one(line.text):
            continue
        found = _named(line) or _unnamed(line)
        if found is not None and not (found.kind == "capitals" and _among_capitals(lines, number)):
            yield found


def _may_be_one(line: str) -> bool:
    """Say quickly that most lines are none."""
    text = line.strip()
    if not text or len(text) > _LONGEST_TITLE:
        return False
    return text[0] in _FIRST or text.isupper() or text[:4].casefold().startswith(_STARTS)


def _after_form_feed(line: Line) -> Line:
    last = line.text.rfind("\f") + 1
    return Line(line.start + last, line.end, line.text[last:])


def _form_feeds(text: str, units: Sequence[Unit]) -> Iterator[Boundary]:
    """Yield the form feeds in prose and between units."""
    starts = [unit.start for unit in units]
    place = text.find("\f")
    while place >= 0:
        number = bisect_right(starts, place) - 1
        if number < 0 or units[number].kind == "prose" or place >= units[number].end:
            yield Boundary("form_feed", place, place + 1)
        place = text.find("\f", place + 1)


def _named(line: Line) -> Boundary | None:
    """Return the border that this line names as a title would."""
    title = line.text.strip()
    if title.endswith(_ENDS_A_SENTENCE):
        return None
    if (found := _NUMBERED.match(line.text)) is not None:
        depth = 1 if found["law"] else found["number"].count(".") + 1
        return Boundary("numbered", line.start, line.end, min(depth + 1, 6), title)
    if _CHAPTER.match(line.text):
        return Boundary("chapter", line.start, line.end, 1, title)
    if title.isupper() and sum(map(str.isalpha, title)) >= 4 and "|" not in title:
        return Boundary("capitals", line.start, line.end, 2, title)
    return None


def _unnamed(line: Line) -> Boundary | None:
    if _SEPARATOR.fullmatch(line.text):
        return Boundary("separator", line.start, line.end)
    if _FOOTER.fullmatch(line.text):
        return Boundary("page_footer", line.start, line.end)
    return None


def _among_capitals(lines: Sequence[Line], number: int) -> bool:
    """Say whether the lines around are in capitals, too: then none of them is a title."""
    around = (each for each in (number - 1, number + 1) if 0 <= each < len(lines))
    return any(lines[each].text.isupper() for each in around)


def _without_lists(found: Sequence[Boundary]) -> Iterator[Boundary]:
    """Leave out numbers that follow one another line by line: those of a list."""
    for number, each in enumerate(found):
        before = found[number - 1] if number else None
        after = found[number + 1] if number + 1 < len(found) else None
        if each.kind == "numbered" and (_next_to(before, each) or _next_to(each, after)):
            continue
        yield each


def _next_to(one: Boundary | None, other: Boundary | None) -> bool:
    if one is None or other is None or one.kind != other.kind:
        return False
    return one.level == other.level and other.start - one.end <= 2


def _blank_runs(text: str, units: Sequence[Unit]) -> Iterator[Boundary]:
    """Yield the places with two blank lines or more between units."""
    for before, after in zip(units, units[1:], strict=False):
        if text.count("\n", before.end, after.start) > 2:
            yield Boundary("blank_lines", before.end, after.start)


def _divided(
    text: str, unit: Unit, markers: Sequence[Boundary], breaks: set[int]
) -> Iterator[Unit]:
    """Yield the parts of a unit of prose between its borders; nothing of it is left out."""
    place = unit.start
    for marker in markers:
        if marker.start < place:
            continue
        yield from _prose(text, place, marker.start)
        place = marker.start
        if marker.level:
            yield Unit("heading", marker.start, marker.end, marker.level, marker.title)
            place = marker.end
        else:
            breaks.add(marker.end if marker.kind == "page_footer" else marker.start)
            if marker.kind == "page_footer":
                yield from _prose(text, marker.start, marker.end)
                place = marker.end
    yield from _prose(text, place, unit.end)


def _prose(text: str, start: int, end: int) -> Iterator[Unit]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Unit("prose", start, end)


def _to_units(breaks: set[int], units: Sequence[Unit]) -> Iterator[int]:
    """Move each break to the unit that begins there or next."""
    starts = [unit.start for unit in units]
    for place in breaks:
        number = bisect_left(starts, place)
        if number < len(starts):
            yield starts[number]
