"""Sections of a document: what stands under one heading; small ones join a neighbour."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from knowledge.ingest.places import Stretch
from knowledge.ingest.units import Unit


@dataclass
class Section:
    """A heading with what follows it up to the next."""

    level: int = 0
    path: tuple[str, ...] = ()
    units: list[Unit] = field(default_factory=list)
    stretches: list[Stretch] = field(default_factory=list)

    def is_smaller_than(self, size: int) -> bool:
        """Say whether all of it is one stretch of less than `size` characters."""
        return len(self.stretches) == 1 and self.stretches[0].length < size


def read_sections(units: Iterable[Unit], breaks: Collection[int] = ()) -> Iterator[Section]:
    """Yield the sections that headings begin; at `breaks` one begins without a heading."""
    section = Section()
    headings: list[Unit] = []
    for unit in units:
        if unit.kind == "heading":
            if section.units:
                yield section
            headings = [heading for heading in headings if heading.level < unit.level] + [unit]
            section = Section(level=unit.level, path=_titles(headings))
        elif section.units and unit.start in breaks:
            yield section
            section = Section(level=section.level, path=section.path)
        section.units.append(unit)
    if section.units:
        yield section


def join_small(sections: Iterable[Section], *, small: int, size: int) -> list[Section]:
    """Join a small section to the next of its level or below, or else to its elder sibling."""
    joined: list[Section] = []
    for section in sections:
        before = joined[-1] if joined else None
        if before and _belong_together(before, section, small) and _join(before, section, size):
            continue
        joined.append(section)
    return joined


class HeadingPaths:
    """The headings above any stretch of the text, where stretches go over sections."""

    def __init__(self, units: Iterable[Unit]) -> None:
        """Note the headings and what stands above each."""
        self._starts: list[int] = []
        self._paths: list[tuple[str, ...]] = []
        headings: list[Unit] = []
        for unit in units:
            if unit.kind != "heading":
                continue
            headings = [heading for heading in headings if heading.level < unit.level] + [unit]
            self._starts.append(unit.start)
            self._paths.append(_titles(headings))

    def above(self, start: int, end: int) -> tuple[str, ...]:
        """Return the headings that hold for all of the stretch."""
        first = bisect_right(self._starts, start) - 1
        path = self._paths[first] if first >= 0 else ()
        for number in range(first + 1, bisect_left(self._starts, end)):
            path = common(path, self._paths[number])
        return path


def common(left: Sequence[str], right: Sequence[str]) -> tuple[str, ...]:
    """Return the headings that two paths begin with."""
    shared = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        shared += 1
    return tuple(left[:shared])


def _titles(headings: Iterable[Unit]) -> tuple[str, ...]:
    return tuple(heading.title for heading in headings if heading.title)


def _belong_together(before: Section, section: Section, small: int) -> bool:
    if before.is_smaller_than(small):
        return section.level >= before.level
    return section.level == before.level and section.is_smaller_than(small)


def _join(before: Section, section: Section, size: int) -> bool:
    """Make the last stretch of `before` and the first of `section` one, when they fit."""
    left, right = before.stretches[-1], section.stretches[0]
    if left.suffix or right.prefix or right.end - left.start + len(right.suffix) > size:
        return False
    is_below = right.path[: len(left.path)] == left.path
    path = right.path if is_below else common(left.path, right.path)
    one = replace(left, end=right.end, suffix=right.suffix, path=path, prose_from=right.prose_from)
    before.stretches = [*before.stretches[:-1], one, *section.stretches[1:]]
    return True
