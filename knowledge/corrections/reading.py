"""A document's text as one reading gave it, in a form in which a passage of another reading is found.

Readings differ in blanks, marks of Markdown and case; letters and digits they have in common. So
only those are compared, and each knows its place in the text.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz import fuzz

_RUN = re.compile(r"[^\W_]+")
_MOST_PLACES = 50
_SEEDS = 64
_SEED_LENGTH = 6
_MOST_OF_A_SEED = 20
"""A seed that is found more often than this says nothing of the place."""
_TRIED = 3
LEAST_ALIKE = 75.0
"""Percent of letters that a place must have in common with what is looked for."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where something stands, or might."""

    start: int
    end: int
    score: float
    """How much is alike, 0 to 100; 100: letter by letter."""

    @property
    def is_exact(self) -> bool:
        """Whether all letters are the same."""
        return self.score == 100.0


def letters_of(text: str) -> str:
    """Return what of a text is compared."""
    return "".join(map(_lower, _RUN.findall(text)))


class Reading:
    """A text that can be asked where a passage of another reading stands in it."""

    def __init__(self, text: str) -> None:
        """Note the place of each letter."""
        self.text = text
        self._places = array("L")
        parts: list[str] = []
        for run in _RUN.finditer(text):
            parts.append(_lower(run.group()))
            self._places.extend(range(run.start(), run.end()))
        self._letters = "".join(parts)

    def exact(self, needle: str) -> list[Place]:
        """Return the places with the same letters, in order, as wide as the blanks around them."""
        letters = letters_of(needle)
        if not letters:
            return [
                Place(start=start, end=start + len(needle.strip()), score=100.0)
                for start in _finds(self.text, needle.strip())
            ]
        return [
            self._wide(first, first + len(letters), 100.0)
            for first in _finds(self._letters, letters)
        ]

    def alike(self, needle: str) -> list[Place]:
        """Return the places that are most like it, the best first, each `LEAST_ALIKE` or more."""
        letters = letters_of(needle)
        if len(letters) < _SEED_LENGTH * 2:
            return []
        margin = max(20, len(letters) // 5)
        found: dict[tuple[int, int], Place] = {}
        for diagonal in self._diagonals(letters, margin):
            low = max(0, diagonal - margin)
            window = self._letters[low : diagonal + len(letters) + margin]
            fit = fuzz.partial_ratio_alignment(letters, window, score_cutoff=LEAST_ALIKE)
            if fit is None or fit.dest_start >= fit.dest_end:
                continue
            first, end = low + fit.dest_start, low + fit.dest_end
            found[first // margin, end // margin] = self._wide(first, end, min(fit.score, 99.9))
        return sorted(found.values(), key=lambda place: -place.score)

    def surroundings(self, place: Place, *, before: int, after: int) -> str:
        """Return the letters of a place with so many of them around it."""
        first, end = self._index(place.start), self._index(place.end)
        return self._letters[max(0, first - before) : end + after]

    def _wide(self, first: int, end: int, score: float) -> Place:
        start = self._places[first - 1] + 1 if first else 0
        stop = self._places[end] if end < len(self._places) else len(self.text)
        return Place(start=start, end=stop, score=score)

    def _index(self, offset: int) -> int:
        low, high = 0, len(self._places)
        while low < high:
            middle = (low + high) // 2
            if self._places[middle] < offset:
                low = middle + 1
            else:
                high = middle
        return low

    def _diagonals(self, letters: str, margin: int) -> list[int]:
        """Return where the passage would begin, as most of its seeds say."""
        last = len(letters) - _SEED_LENGTH
        step = max(1, last // _SEEDS)
        votes: Counter[int] = Counter()
        for offset in range(0, last + 1, step):
            seed = letters[offset : offset + _SEED_LENGTH]
            places = list(_finds(self._letters, seed, most=_MOST_OF_A_SEED + 1))
            if len(places) <= _MOST_OF_A_SEED:
                votes.update({(place - offset) // margin for place in places})
        return [bucket * margin for bucket, _ in votes.most_common(_TRIED)]


def _finds(text: str, needle: str, *, most: int = _MOST_PLACES) -> Iterator[int]:
    place = text.find(needle) if needle else -1
    while place >= 0 and most:
        yield place
        most -= 1
        place = text.find(needle, place + 1)


def _lower(run: str) -> str:
    lowered = run.lower()
    return lowered if len(lowered) == len(run) else run
