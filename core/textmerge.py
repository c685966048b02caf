"""Three-way merge of texts: what two people made of the same one, joined where it can be.

Lines first (diff3); a line that both changed is tried word by word. Edits count as apart when a
line, or within a line a word, stands unchanged between them; all else is a conflict for a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rapidfuzz.distance import Indel

Choice = Literal["ours", "theirs", "both"]
Chunk = tuple[Sequence[str], Sequence[str], Sequence[str]]
_IsAnchor = Callable[[Sequence[str]], bool]

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
# A word, one character of a script without spaces, a run of white space, or a single sign.
_TOKEN: Final = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯]|[^\W぀-ヿ㐀-䶿一-鿿가-힯]+|\s+|.", re.DOTALL)
_MOST_TOKENS: Final = 4_000
"""Longer lines that both changed are a conflict as a whole."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A stretch that needs no decision."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Clash:
    """A stretch that both changed, each in another way."""

    base: str
    ours: str
    theirs: str

    def resolved(self, choice: Choice) -> str:
        """Return the stretch as one chooses; both: ours, then theirs, each on its own lines."""
        if choice == "ours":
            return self.ours
        if choice == "theirs":
            return self.theirs
        joint = "" if not self.ours or self.ours.endswith("\n") else "\n"
        return self.ours + joint + self.theirs


Part = Kept | Clash


@dataclass(frozen=True, kw_only=True)
class Merge:
    """What came of a merge, in the order of the text; two `Kept` never follow each other."""

    parts: tuple[Part, ...]

    @property
    def clashes(self) -> tuple[Clash, ...]:
        """What a person must decide."""
        return tuple(part for part in self.parts if isinstance(part, Clash))

    @property
    def text(self) -> str:
        """The merged text.

        Raises:
            ValueError: something is left to decide.
        """
        return self.resolved([])

    def resolved(self, answers: Sequence[str]) -> str:
        """Return the text with an answer for each clash, in their order.

        Raises:
            ValueError: there are more or fewer answers than clashes.
        """
        left = iter(answers)
        if len(answers) != len(self.clashes):
            raise ValueError(f"{len(answers)} answers to {len(self.clashes)} clashes")
        return "".join(part.text if isinstance(part, Kept) else next(left) for part in self.parts)

    def with_markers(self, *, ours: str, theirs: str) -> str:
        """Return the text with clashes between the usual marker lines, under the sides' names."""
        return "".join(
            part.text if isinstance(part, Kept) else _marked(part, ours=ours, theirs=theirs)
            for part in self.parts
        )


def merge_texts(base: str, ours: str, theirs: str) -> Merge:
    """Join what two sides made of `base`.

    Equal edits count once; what only one side changed is taken from it. Taking `ours` for
    `theirs` gives the same text where nothing clashes. Not a character is lost: each stands in
    the text or in a clash.
    """
    parts: list[Part] = []
    lines = [_LINE.findall(text) for text in (base, ours, theirs)]
    for chunk in _chunks(*lines, is_anchor=any):
        text = _one_sided(chunk)
        if text is not None:
            parts.append(Kept(text=text))
        else:
            parts += _by_words(chunk)
    return Merge(parts=tuple(_joined(parts)))


def _one_sided(chunk: Chunk) -> str | None:
    """Return what a stretch becomes when at most one side changed it, or both alike."""
    base, ours, theirs = ("".join(each) for each in chunk)
    if ours in (base, theirs):
        return theirs
    return ours if theirs == base else None


def _by_words(chunk: Chunk) -> list[Part]:
    """Try line by line, within each word by word; the whole stretch clashes when one line does."""
    base, ours, theirs = chunk
    clash = Clash(base="".join(base), ours="".join(ours), theirs="".join(theirs))
    if not len(base) == len(ours) == len(theirs):
        return [clash]
    merged = [_line(*lines) for lines in zip(base, ours, theirs, strict=True)]
    if any(line is None for line in merged):
        return [clash]
    return [Kept(text="".join(line for line in merged if line is not None))]


def _line(base: str, ours: str, theirs: str) -> str | None:
    tokens = [_TOKEN.findall(line) for line in (base, ours, theirs)]
    if max(map(len, tokens)) > _MOST_TOKENS:
        return _one_sided(([base], [ours], [theirs]))
    pieces = [_one_sided(chunk) for chunk in _chunks(*tokens, is_anchor=_has_word)]
    if any(piece is None for piece in pieces):
        return None
    return "".join(piece for piece in pieces if piece is not None)


def _has_word(tokens: Sequence[str]) -> bool:
    return any(token[0].isalnum() for token in tokens)


def _chunks(
    base: Sequence[str],
    ours: Sequence[str],
    theirs: Sequence[str],
    *,
    is_anchor: _IsAnchor,
) -> Iterator[Chunk]:
    """Yield the stretches between what all three have in common, and that, in turn."""
    to_ours, to_theirs = _matches(base, ours), _matches(base, theirs)
    at = (0, 0, 0)
    for start, end in _common(to_ours, to_theirs, len(base)):
        if not is_anchor(base[start:end]):
            continue
        place = (start, to_ours[start], to_theirs[start])
        yield base[at[0] : place[0]], ours[at[1] : place[1]], theirs[at[2] : place[2]]
        same = base[start:end]
        yield same, same, same
        at = (end, place[1] + end - start, place[2] + end - start)
    yield base[at[0] :], ours[at[1] :], theirs[at[2] :]


def _matches(base: Sequence[str], side: Sequence[str]) -> dict[int, int]:
    """Return where the side has each unit of the base that it kept."""
    return {
        op.src_start + offset: op.dest_start + offset
        for op in Indel.opcodes(base, side)
        if op.tag == "equal"
        for offset in range(op.src_end - op.src_start)
    }


def _common(
    to_ours: dict[int, int], to_theirs: dict[int, int], length: int
) -> Iterator[tuple[int, int]]:
    """Yield the stretches of the base that stand unbroken on both sides."""
    start: int | None = None
    for index in range(length + 1):
        kept = index in to_ours and index in to_theirs
        goes_on = (
            kept
            and start is not None
            and to_ours[index] == to_ours[index - 1] + 1
            and to_theirs[index] == to_theirs[index - 1] + 1
        )
        if start is not None and not goes_on:
            yield start, index
            start = None
        if kept and start is None:
            start = index


def _joined(parts: Sequence[Part]) -> Iterator[Part]:
    kept = ""
    for part in parts:
        if isinstance(part, Kept):
            kept += part.text
            continue
        if kept:
            yield Kept(text=kept)
            kept = ""
        yield part
    if kept:
        yield Kept(text=kept)


def _marked(clash: Clash, *, ours: str, theirs: str) -> str:
    def block(text: str) -> str:
        return text if not text or text.endswith("\n") else text + "\n"

    return (
        f"<<<<<<< {ours}\n{block(clash.ours)}||||||| \n{block(clash.base)}"
        f"=======\n{block(clash.theirs)}>>>>>>> {theirs}\n"
    )
