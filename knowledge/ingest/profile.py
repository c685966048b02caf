"""What a text is like: the figures from which the way to split it is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from knowledge.ingest.boundaries import PRIORITIES, BoundaryKind
from knowledge.ingest.sizes import TextLanguage, language_of
from knowledge.ingest.units import Unit

FEWEST_HEADINGS = 3
LEAST_DENSITY = 0.005
"""Headings a line."""
FEWEST_MARKERS = 5


@dataclass(frozen=True, kw_only=True)
class DocumentProfile:
    """The figures of a text."""

    characters: int
    lines: int
    language: TextLanguage
    headings: int
    tables: int
    code_blocks: int
    formulas: int
    paragraphs: int
    markers: Mapping[BoundaryKind, int] = field(default_factory=dict)
    """Borders of sections that are no headings, by kind; empty where headings were enough."""

    @property
    def heading_density(self) -> float:
        """Headings a line."""
        return self.headings / self.lines if self.lines else 0.0

    @property
    def has_headings(self) -> bool:
        """Whether the headings divide the text."""
        return self.headings >= FEWEST_HEADINGS and self.heading_density > LEAST_DENSITY

    @property
    def marker_total(self) -> int:
        """How many borders there are that begin a section."""
        return sum(count for kind, count in self.markers.items() if PRIORITIES[kind] >= 50)

    @property
    def has_markers(self) -> bool:
        """Whether other borders than headings divide the text."""
        strong = self.markers.get("form_feed", 0) + self.markers.get("chapter", 0)
        return self.marker_total >= FEWEST_MARKERS or strong > 0


def profile_of(text: str, units: Sequence[Unit]) -> DocumentProfile:
    """Return the figures of a text, without its markers: those are looked for where needed."""
    kinds = Counter(unit.kind for unit in units)
    return DocumentProfile(
        characters=len(text),
        lines=text.count("\n") + 1 if text else 0,
        language=language_of(text),
        headings=kinds["heading"],
        tables=kinds["table"],
        code_blocks=kinds["code"],
        formulas=kinds["formula"],
        paragraphs=kinds["prose"],
    )
