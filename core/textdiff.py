"""What changed between two texts: lines side by side, with the changed words marked.

Data first, so that a page, a terminal and a test read the same; `marked` is the only place that
makes HTML. Agents' versions, chunks and wiki pages show the same diff.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

RowKind = Literal["same", "changed", "added", "removed", "left_out"]
Side = Literal["old", "new"]

# A word, one character of a script without spaces, a run of white space, or a single sign.
_TOKEN = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯]|[^\W぀-ヿ㐀-䶿一-鿿가-힯]+|\s+|.", re.DOTALL)
MAXIMUM_TOKENS = 4_000
"""Longer lines are marked as a whole: comparing words takes time that grows with the square."""


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


def diff_lines(old: str, new: str, *, context: int | None = None) -> tuple[Row, ...]:
    """Return both texts line by line; with `context` only so many equal lines around changes."""
    before, after = old.splitlines(), new.splitlines()
    rows = [
        row
        for tag, i1, i2, j1, j2 in _matcher(before, after).get_opcodes()
        for row in _rows(tag, before, after, (i1, i2, j1, j2))
    ]
    return tuple(rows if context is None else _fold(rows, context))


def diff_words(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both texts in pieces, those that the other one lacks marked as changed."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if max(len(before), len(after)) > MAXIMUM_TOKENS:
        changed = old != new
        return _pieces([(old, changed)]), _pieces([(new, changed)])
    left: list[tuple[str, bool]] = []
    right: list[tuple[str, bool]] = []
    for tag, i1, i2, j1, j2 in _matcher(before, after).get_opcodes():
        changed = tag != "equal"
        left.append(("".join(before[i1:i2]), changed))
        right.append(("".join(after[j1:j2]), changed))
    return _pieces(left), _pieces(right)


def marked(line: Line | None, *, side: Side) -> SafeString:
    """Return a line as HTML: escaped, its changed pieces in `<del>` or `<ins>`."""
    if line is None:
        return SafeString("")
    tag = "del" if side == "old" else "ins"
    return format_html_join(
        "",
        "{}",
        (
            (format_html(f"<{tag}>{{}}</{tag}>", piece.text) if piece.is_changed else piece.text,)
            for piece in line.pieces
        ),
    )


def _matcher(before: Sequence[str], after: Sequence[str]) -> difflib.SequenceMatcher[str]:
    # Without its "junk" rule, which would take frequent words for noise.
    return difflib.SequenceMatcher(a=before, b=after, autojunk=False)


def _rows(
    tag: str, before: Sequence[str], after: Sequence[str], place: tuple[int, int, int, int]
) -> Iterator[Row]:
    i1, i2, j1, j2 = place
    if tag == "equal":
        for offset in range(i2 - i1):
            pieces = (Piece(before[i1 + offset]),)
            yield Row(
                kind="same",
                old=Line(number=i1 + offset + 1, pieces=pieces),
                new=Line(number=j1 + offset + 1, pieces=pieces),
            )
        return
    both = min(i2 - i1, j2 - j1)
    for offset in range(both):
        left, right = diff_words(before[i1 + offset], after[j1 + offset])
        yield Row(
            kind="changed",
            old=Line(number=i1 + offset + 1, pieces=left),
            new=Line(number=j1 + offset + 1, pieces=right),
        )
    for index in range(i1 + both, i2):
        yield Row(kind="removed", old=_whole(index, before[index]))
    for index in range(j1 + both, j2):
        yield Row(kind="added", new=_whole(index, after[index]))


def _whole(index: int, text: str) -> Line:
    return Line(number=index + 1, pieces=(Piece(text, is_changed=True),))


def _pieces(parts: Sequence[tuple[str, bool]]) -> tuple[Piece, ...]:
    return tuple(Piece(text, is_changed=changed) for text, changed in parts if text)


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
