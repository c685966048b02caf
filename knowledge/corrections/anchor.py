"""Finds in another reading of a document what a person corrected in an earlier one.

Rather nothing than the wrong place: where two places fit alike, where a number near it differs, or
where what was replaced is not there, the correction is lost and put before a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from knowledge.corrections.hunks import Hunk, apply_hunks, hunks_of
from knowledge.corrections.reading import Place, Reading, letters_of

CONTEXT_CHARACTERS = 300
"""Kept on both sides of a passage."""
_NEAR, _NEARER = 80, 30
"""Characters around a change that are looked for with it."""
_LEAST_LETTERS = 24
_CLEARLY = 3.0
"""Points by which the better one of two places that are only alike must win."""
_LEAST_KEPT = 80.0
_NUMBER = re.compile(r"\d+")
PageOf = Callable[[int], int | None]


@dataclass(frozen=True, kw_only=True)
class Anchor:
    """A correction, with what tells where it belongs."""

    key: str
    original: str
    text: str
    """What stands instead of `original`."""
    before: str = ""
    after: str = ""
    page: int | None = None
    is_enabled: bool = True
    near: int | None = None
    """Where `original` began in the reading before, when that is known."""
    around: tuple[int, int] = (0, 0)
    """So many characters of `original` at its ends are repeated from elsewhere."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """Where a correction belongs in a reading."""

    hunks: tuple[Hunk, ...]
    """In places of the reading; none when it says already what the correction says."""
    start: int
    end: int
    """The stretch that it is about."""


def find_anchor(anchor: Anchor, reading: Reading, *, page_of: PageOf) -> Found | None:
    """Return where the correction belongs; None when that cannot be said for certain."""
    look = _Look(anchor, reading, page_of)
    hunks = hunks_of(anchor.original, anchor.text)
    whole = None if hunks and anchor.is_enabled else look.whole()
    if not hunks:
        return Found(hunks=(), start=whole.start, end=whole.end) if whole else None
    if whole is None and not anchor.is_enabled:
        return None
    placed: list[Hunk] = []
    stretches: list[tuple[int, int]] = []
    for group in _groups(hunks):
        found = look.change(group)
        if found is None:
            return None
        placed += found.hunks
        stretches.append((found.start, found.end))
    start, end = min(each[0] for each in stretches), max(each[1] for each in stretches)
    if whole is not None:
        start, end = whole.start, whole.end
    return Found(hunks=tuple(sorted(placed)), start=start, end=end)


def _groups(hunks: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    """Look for changes together that have their surroundings in common."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.start - group[-1].end > 2 * _NEAR:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


class _Look:
    """One correction being looked for."""

    def __init__(self, anchor: Anchor, reading: Reading, page_of: PageOf) -> None:
        self.anchor, self.reading, self.page_of = anchor, reading, page_of
        head, tail = anchor.around
        body = anchor.original[head : len(anchor.original) - tail]
        self.full = anchor.before + body + anchor.after
        self.shift = len(anchor.before) - head
        self.first, self.last = head, len(anchor.original) - tail

    def whole(self) -> Place | None:
        """Return where the whole passage stands, without what surrounds it."""
        body = self.anchor.original[self.first : self.last]
        offset = self.shift + self.first
        return self._one(self.reading.exact(body), offset, len(body)) or self._best(
            self.reading.alike(body), body, offset
        )

    def change(self, group: Sequence[Hunk]) -> Found | None:
        """Return where some neighbouring changes belong."""
        if group[0].start < self.first or group[-1].end > self.last:
            return self._repeated(group)
        for width in (_NEAR, _NEARER):
            low, high = self._around(group, width)
            needle = self.full[low:high]
            if width < _NEAR and len(letters_of(needle)) < _LEAST_LETTERS:
                break
            if found := self._said(needle, group, low):
                return found
            places = self.reading.exact(needle)
            if width < _NEAR and len(places) > 1:
                break
            place = self._one(places, low, len(needle))
            if place is not None and (found := self._put(needle, place, group, low)):
                return found
        low, high = self._around(group, _NEAR)
        needle = self.full[low:high]
        place = self._best(self.reading.alike(needle), needle, low)
        if place is None or not self._same_numbers(needle, place, group, low):
            return None
        return self._put(needle, place, group, low)

    def _repeated(self, group: Sequence[Hunk]) -> Found | None:
        """Return where a change belongs in what is repeated from above: a table's head, a fence."""
        original = self.anchor.original
        low, high = max(0, group[0].start - _NEAR), min(len(original), group[-1].end + _NEAR)
        if group[-1].end <= self.first:
            high = min(high, self.first)
        needle = original[low:high]
        places = self.reading.exact(needle)
        if len(places) != 1 or len(letters_of(needle)) < _LEAST_LETTERS // 2:
            return None
        return self._put(needle, places[0], group, low - self.shift, shift=0, low=low)

    def _around(self, group: Sequence[Hunk], width: int) -> tuple[int, int]:
        low = max(0, group[0].start + self.shift - width)
        return low, min(len(self.full), group[-1].end + self.shift + width)

    def _said(self, needle: str, group: Sequence[Hunk], low: int) -> Found | None:
        """Return the place when the reading says already what the correction says."""
        said = apply_hunks(needle, self._local(group, self.shift, low))
        if letters_of(said) == letters_of(needle) or self.reading.exact(needle):
            return None
        place = self._one(self.reading.exact(said), low, len(needle))
        return Found(hunks=(), start=place.start, end=place.end) if place else None

    def _local(self, group: Sequence[Hunk], shift: int, low: int) -> list[Hunk]:
        move = shift - low
        return [Hunk(start=h.start + move, end=h.end + move, text=h.text) for h in group]

    def _put(
        self,
        needle: str,
        place: Place,
        group: Sequence[Hunk],
        offset: int,
        *,
        shift: int | None = None,
        low: int | None = None,
    ) -> Found | None:
        """Carry the changes over to the place; None when one of them does not fit there."""
        local = self._local(
            group, self.shift if shift is None else shift, offset if low is None else low
        )
        window = self.reading.text[place.start : place.end]
        carry = _Carry(needle, window)
        placed = [carry.over(hunk) for hunk in local]
        if any(each is None for each in placed):
            return None
        hunks = tuple(
            Hunk(start=h.start + place.start, end=h.end + place.start, text=h.text)
            for h in placed
            if h is not None and window[h.start : h.end] != h.text
        )
        start = min((h.start for h in hunks), default=place.start)
        end = max((h.end for h in hunks), default=place.end)
        return Found(hunks=hunks, start=start, end=end)

    def _one(self, places: Sequence[Place], offset: int, length: int) -> Place | None:
        """Return the place among equal ones that its surroundings, page and order speak for."""
        if len(places) < 2:
            return places[0] if places else None
        scored = [(self._surrounded(place, offset, length), place) for place in places]
        best = max(score for score, _ in scored)
        left = [place for score, place in scored if score >= best - 0.5]
        if self.anchor.page is not None:
            same = [place for place in left if self.page_of(place.start) == self.anchor.page]
            left = same or left
        if len(left) == 1:
            return left[0]
        if self.anchor.near is None:
            return None
        wanted = self.anchor.near + offset - self.shift - self.first
        return min(left, key=lambda place: abs(place.start - wanted))

    def _best(self, places: Sequence[Place], needle: str, offset: int) -> Place | None:
        """Return the place that is most like it, unless another one is nearly as much."""
        if not places:
            return None
        scored = sorted(
            (
                (place.score + self._surrounded(place, offset, len(needle)), place.start, place)
                for place in places
            ),
            reverse=True,
        )
        if len(scored) > 1 and scored[0][0] - scored[1][0] < _CLEARLY:
            return None
        return scored[0][2]

    def _surrounded(self, place: Place, offset: int, length: int) -> float:
        before, after = letters_of(self.full[:offset]), letters_of(self.full[offset + length :])
        there = self.reading.surroundings(place, before=len(before), after=len(after))
        wanted = before + letters_of(self.full[offset : offset + length]) + after
        return fuzz.ratio(wanted, there)

    def _same_numbers(self, needle: str, place: Place, group: Sequence[Hunk], low: int) -> bool:
        window = self.reading.text[place.start : place.end]
        blocks = [op for op in Levenshtein.opcodes(needle, window) if op.tag == "equal"]
        if not blocks:
            return False
        shared = window[blocks[0].dest_start : blocks[-1].dest_end]
        wanted = needle[blocks[0].src_start : blocks[-1].src_end]
        return _NUMBER.findall(shared) == _NUMBER.findall(wanted)


class _Carry:
    """Carries places of one text over to another that is like it."""

    def __init__(self, source: str, target: str) -> None:
        self.source, self.target = source, target
        self.to: dict[int, int] = {}
        offset = target.find(source) if source else -1
        if offset >= 0:
            self.to = {place: place + offset for place in range(len(source))}
            return
        for op in Levenshtein.opcodes(_folded(source), _folded(target)):
            if op.tag == "equal":
                size = op.src_end - op.src_start
                self.to |= {op.src_start + n: op.dest_start + n for n in range(size)}

    def over(self, hunk: Hunk) -> Hunk | None:
        """Return the hunk in places of the target; None when what it replaces is not there."""
        start = self._start(hunk.start)
        end = self._end(hunk.end)
        if start is None or end is None or start > end:
            return None
        was, there = self.source[hunk.start : hunk.end], self.target[start:end]
        if not _much_alike(was, there):
            return None
        if self._is_said(hunk, start, end, was):
            return Hunk(start=start, end=end, text=there)
        return Hunk(start=start, end=end, text=hunk.text)

    def _start(self, place: int) -> int | None:
        if place in self.to:
            return self.to[place]
        return self.to[place - 1] + 1 if place - 1 in self.to else None if place else 0

    def _end(self, place: int) -> int | None:
        if place - 1 in self.to:
            return self.to[place - 1] + 1
        if place in self.to:
            return self.to[place]
        return len(self.target) if place == len(self.source) else None

    def _is_said(self, hunk: Hunk, start: int, end: int, was: str) -> bool:
        """Say whether the target has what was put beside a sign there already."""
        if len(hunk.text) <= len(was):
            return False
        if hunk.text.startswith(was):
            has = self.target.startswith(hunk.text, start)
            return has and not self.source.startswith(hunk.text, hunk.start)
        if hunk.text.endswith(was):
            has = self.target[:end].endswith(hunk.text)
            return has and not self.source[: hunk.end].endswith(hunk.text)
        return False


def _folded(text: str) -> str:
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _much_alike(was: str, there: str) -> bool:
    one, other = letters_of(was), letters_of(there)
    if one == other:
        return True
    if _NUMBER.findall(one) != _NUMBER.findall(other):
        return False
    return len(one) > 3 and fuzz.ratio(one, other) >= _LEAST_KEPT
