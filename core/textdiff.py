"""What changed between two texts: lines side by side, with the changed words marked.

Data first, so that a page, a terminal and a test read the same; `marked` is the only place that
makes HTML. Agents' versions, chunks and wiki pages show the same diff. No more lines count as
changed than must: the equal ones are a longest common subsequence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, Literal

from django.utils.safestring import SafeString
from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

RowKind = Literal["same", "changed", "added", "removed", "left_out"]
Side = Literal["old", "new"]
Span = tuple[int, int, int, int]
"""Of an old and a new text: from, to, from, to."""

# A word, one character of a script without spaces, a run of white space, or a single sign.
_TOKEN = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯]|[^\W぀-ヿ㐀-䶿一-鿿가-힯]+|\s+|.", re.DOTALL)
MAXIMUM_TOKENS = 4_000
"""Longer lines are marked as a whole: comparing words takes time that grows with the square."""
MAXIMUM_LINES: Final = 20_000
"""Of what lies between the first and the last difference; longer ones count as changed wholly."""
_ALIKE: Final = 52.0
"""Per cent from which on two lines of a changed stretch stand beside each other."""
_MOST_PAIRS: Final = 1_024
"""Of lines of one stretch that are all tried with each other."""
_LOOK_AHEAD: Final = 8
"""Lines that are tried where there are more pairs than that."""


@dataclass(frozen=True)
class Piece:
    """A part of a line."""

    text: str
    is_changed: bool = False


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of one side."""

    number: int
    """From 1."""
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, kw_only=True)
class Row:
    """What stands side by side. A row of kind `left_out` stands for `skipped` equal lines."""

    kind: RowKind
    old: Line | None = None
    new: Line | None = None
    skipped: int = 0
    heading: str = ""
    """Of `left_out`: the heading under which the next rows stand, where the maker knows one."""


@dataclass(frozen=True, kw_only=True)
class InlineRow:
    """What stands one below the other: a line of one side, or of both."""

    kind: Literal["same", "added", "removed", "left_out"]
    line: Line | None = None
    side: Side = "new"
    old_number: int | None = None
    new_number: int | None = None
    skipped: int = 0
    heading: str = ""


def diff_lines(
    old: str, new: str, *, context: int | None = None, ignore_blanks: bool = False
) -> tuple[Row, ...]:
    """Return both texts line by line; with `context` only so many equal lines around changes.

    With `ignore_blanks` lines that differ in nothing but white space are equal.
    """
    before, after = old.splitlines(), new.splitlines()
    keys = (before, after)
    if ignore_blanks:
        keys = (
            [" ".join(each.split()) for each in before],
            [" ".join(each.split()) for each in after],
        )
    rows = [
        row
        for is_same, span in changed_spans(*keys)
        for row in (_same_rows if is_same else _changed_rows)(before, after, span)
    ]
    return tuple(rows if context is None else _fold(rows, context))


def inline_rows(rows: Sequence[Row]) -> tuple[InlineRow, ...]:
    """Return the rows one below the other: what a stretch loses before what it gets."""
    found: list[InlineRow] = []
    added: list[InlineRow] = []
    for row in rows:
        if row.kind in ("same", "left_out"):
            found += added
            added = []
        if row.kind == "left_out":
            found.append(InlineRow(kind="left_out", skipped=row.skipped, heading=row.heading))
        elif row.kind == "same":
            found.append(
                InlineRow(
                    kind="same",
                    line=row.new,
                    old_number=row.old.number if row.old else None,
                    new_number=row.new.number if row.new else None,
                )
            )
        else:
            if row.old:
                found.append(
                    InlineRow(kind="removed", line=row.old, side="old", old_number=row.old.number)
                )
            if row.new:
                added.append(InlineRow(kind="added", line=row.new, new_number=row.new.number))
    return (*found, *added)


def diff_words(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both texts in pieces, those that the other one lacks marked as changed."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if max(len(before), len(after)) > MAXIMUM_TOKENS:
        changed = old != new
        return _pieces([(old, changed)]), _pieces([(new, changed)])
    steps = [
        (is_same, "".join(before[i1:i2]), "".join(after[j1:j2]))
        for is_same, (i1, i2, j1, j2) in changed_spans(before, after)
    ]
    # One mark over words that only a blank parts.
    marks = [
        not is_same or (0 < number < len(steps) - 1 and left.isspace())
        for number, (is_same, left, _right) in enumerate(steps)
    ]
    return (
        _pieces([(left, mark) for mark, (_, left, _right) in zip(marks, steps, strict=True)]),
        _pieces([(right, mark) for mark, (_, _left, right) in zip(marks, steps, strict=True)]),
    )


def marked(line: Line | None, *, side: Side) -> SafeString:
    """Return a line as HTML: escaped, its changed pieces in `<del>` or `<ins>`."""
    if line is None:
        return SafeString("")
    tag = "del" if side == "old" else "ins"
    return SafeString(
        "".join(
            f"<{tag}>{escape(piece.text)}</{tag}>" if piece.is_changed else escape(piece.text)
            for piece in line.pieces
        )
    )


def characters_changed(old: str, new: str) -> tuple[int, int]:
    """Return how many characters an edit adds and removes, by whole lines."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    changed = [span for is_same, span in changed_spans(before, after) if not is_same]
    added = sum(len(line) for _, _, j1, j2 in changed for line in after[j1:j2])
    removed = sum(len(line) for i1, i2, _, _ in changed for line in before[i1:i2])
    return added, removed


def changed_spans(before: Sequence[str], after: Sequence[str]) -> list[tuple[bool, Span]]:
    """Return the stretches of two sequences in turn, each with whether both sides are equal."""
    first = 0
    shorter = min(len(before), len(after))
    while first < shorter and before[first] == after[first]:
        first += 1
    last = 0
    while last < shorter - first and before[-1 - last] == after[-1 - last]:
        last += 1
    i_end, j_end = len(before) - last, len(after) - last
    found: list[tuple[bool, Span]] = []
    if first:
        found.append((True, (0, first, 0, first)))
    found += _middle_spans(before[first:i_end], after[first:j_end], first)
    if last:
        found.append((True, (i_end, len(before), j_end, len(after))))
    return found


def _middle_spans(
    before: Sequence[str], after: Sequence[str], offset: int
) -> list[tuple[bool, Span]]:
    if not before and not after:
        return []
    if not before or not after or max(len(before), len(after)) > MAXIMUM_LINES:
        return [(False, (offset, offset + len(before), offset, offset + len(after)))]
    numbers: dict[str, int] = {}
    left = [numbers.setdefault(each, len(numbers)) for each in before]
    right = [numbers.setdefault(each, len(numbers)) for each in after]
    found: list[tuple[bool, Span]] = []
    for step in Indel.opcodes(left, right):
        span = (
            step.src_start + offset,
            step.src_end + offset,
            step.dest_start + offset,
            step.dest_end + offset,
        )
        is_same = step.tag == "equal"
        if found and found[-1][0] == is_same:
            i1, _, j1, _ = found[-1][1]
            span = (i1, span[1], j1, span[3])
            found.pop()
        found.append((is_same, span))
    return found


def _same_rows(before: Sequence[str], after: Sequence[str], span: Span) -> Iterator[Row]:
    i1, i2, j1, _ = span
    for offset in range(i2 - i1):
        yield Row(
            kind="same",
            old=Line(number=i1 + offset + 1, pieces=(Piece(before[i1 + offset]),)),
            new=Line(number=j1 + offset + 1, pieces=(Piece(after[j1 + offset]),)),
        )


def _changed_rows(before: Sequence[str], after: Sequence[str], span: Span) -> Iterator[Row]:
    i1, i2, j1, j2 = span
    for i, j in _paired(before[i1:i2], after[j1:j2]):
        if i is None and j is not None:
            yield Row(kind="added", new=_whole(j1 + j, after[j1 + j]))
        elif i is not None and j is None:
            yield Row(kind="removed", old=_whole(i1 + i, before[i1 + i]))
        elif i is not None and j is not None:
            left, right = diff_words(before[i1 + i], after[j1 + j])
            yield Row(
                kind="changed",
                old=Line(number=i1 + i + 1, pieces=left),
                new=Line(number=j1 + j + 1, pieces=right),
            )


def _paired(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Yield the lines of a changed stretch in their order, like ones beside each other."""
    i = j = 0
    for left, right in (*_pairs(before, after), (len(before), len(after))):
        yield from ((each, None) for each in range(i, left))
        yield from ((None, each) for each in range(j, right))
        if left < len(before):
            yield left, right
        i, j = left + 1, right + 1


def _pairs(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    if len(before) == len(after) == 1:
        return [(0, 0)]
    if len(before) * len(after) <= _MOST_PAIRS:
        return _best_pairs(before, after)
    found: list[tuple[int, int]] = []
    next_one = 0
    for i, line in enumerate(before):
        for j in range(next_one, min(next_one + _LOOK_AHEAD, len(after))):
            if fuzz.ratio(line, after[j], score_cutoff=_ALIKE) > _ALIKE:
                found.append((i, j))
                next_one = j + 1
                break
    return found


def _best_pairs(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs, in order on both sides, whose likeness adds up to most."""
    rows, columns = len(before), len(after)
    gains = [
        [max(0.0, fuzz.ratio(left, right, score_cutoff=_ALIKE) - _ALIKE) for right in after]
        for left in before
    ]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            beside = gains[i][j] + best[i + 1][j + 1] if gains[i][j] else 0.0
            best[i][j] = max(beside, best[i + 1][j], best[i][j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < rows and j < columns:
        if gains[i][j] and best[i][j] == gains[i][j] + best[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _whole(index: int, text: str) -> Line:
    return Line(number=index + 1, pieces=(Piece(text, is_changed=True),))


def _pieces(parts: Sequence[tuple[str, bool]]) -> tuple[Piece, ...]:
    """Return the parts that hold something, neighbours of the same kind joined."""
    found: list[Piece] = []
    for text, changed in parts:
        if not text:
            continue
        if found and found[-1].is_changed == changed:
            found[-1] = Piece(found[-1].text + text, is_changed=changed)
        else:
            found.append(Piece(text, is_changed=changed))
    return tuple(found)


def _fold(rows: Sequence[Row], context: int) -> Iterator[Row]:
    """Yield the rows near a change; one row stands for each stretch that is left out."""
    changes = [index for index, row in enumerate(rows) if row.kind != "same"]
    near = {
        index
        for change in changes
        for index in range(max(0, change - context), min(len(rows), change + context + 1))
    }
    skipped = 0
    for index, row in enumerate(rows):
        if index in near:
            if skipped:
                yield Row(kind="left_out", skipped=skipped)
                skipped = 0
            yield row
        else:
            skipped += 1
    if skipped:
        yield Row(kind="left_out", skipped=skipped)
