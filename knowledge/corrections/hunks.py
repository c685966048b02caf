"""What a person changed in a text, as the smallest stretches that were replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

_TOKEN = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯]|[^\W぀-ヿ㐀-䶿一-鿿가-힯]+|\s+|.", re.DOTALL)
_MOST_TOKENS = 4_000
"""Longer changes are one hunk: comparing words takes time and memory that grow with the square."""


@dataclass(frozen=True, kw_only=True, order=True)
class Hunk:
    """A stretch of a text and what stands there instead. It always holds a sign that is seen."""

    start: int
    end: int
    text: str


def hunks_of(old: str, new: str) -> list[Hunk]:
    """Return what turns `old` into `new`, in order; nothing touches anything else.

    Where only blanks or nothing would be replaced, the sign before it is taken along: such a hunk
    can be found again in a text whose lines are broken elsewhere.
    """
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    before, after = before[head : len(before) - tail], after[head : len(after) - tail]
    start = len("".join(_TOKEN.findall(old)[:head]))
    if not before and not after:
        return []
    if max(len(before), len(after)) > _MOST_TOKENS:
        rough = [Hunk(start=start, end=start + len("".join(before)), text="".join(after))]
    else:
        rough = list(_by_words(before, after, start))
    return list(_joined(old, [_seen(old, hunk) for hunk in _joined(old, rough)]))


def apply_hunks(text: str, hunks: Iterable[Hunk]) -> str:
    """Return the text with these stretches replaced; they do not overlap."""
    parts: list[str] = []
    place = 0
    for hunk in sorted(hunks):
        parts += [text[place : hunk.start], hunk.text]
        place = hunk.end
    return "".join([*parts, text[place:]])


def _by_words(before: Sequence[str], after: Sequence[str], start: int) -> Iterator[Hunk]:
    offsets = [start]
    for token in before:
        offsets.append(offsets[-1] + len(token))
    for op in Levenshtein.opcodes(before, after):
        if op.tag != "equal":
            text = "".join(after[op.dest_start : op.dest_end])
            yield Hunk(start=offsets[op.src_start], end=offsets[op.src_end], text=text)


def _seen(old: str, hunk: Hunk) -> Hunk:
    """Widen a hunk of blanks or of nothing by the nearest sign."""
    if old[hunk.start : hunk.end].strip():
        return hunk
    start = len(old[: hunk.start].rstrip()) - 1
    if start >= 0:
        kept = old[start : hunk.start]
        return Hunk(start=start, end=hunk.end, text=kept + hunk.text)
    end = len(old) - len(old[hunk.end :].lstrip()) + 1
    return Hunk(start=hunk.start, end=end, text=hunk.text + old[hunk.end : end])


def _joined(old: str, hunks: Iterable[Hunk]) -> Iterator[Hunk]:
    """Join hunks that touch, or have only blanks between them."""
    last: Hunk | None = None
    for hunk in hunks:
        if last is None:
            last = hunk
        elif hunk.start < last.end:  # both took the same sign along
            shared = old[hunk.start : last.end]
            text = last.text + hunk.text.removeprefix(shared)
            last = Hunk(start=last.start, end=hunk.end, text=text)
        elif not old[last.end : hunk.start].strip():
            between = old[last.end : hunk.start]
            last = Hunk(start=last.start, end=hunk.end, text=last.text + between + hunk.text)
        else:
            yield last
            last = hunk
    if last is not None:
        yield last


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    for number, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return number
    return min(len(one), len(other))
