"""Sentences of different pages that say the same of a subject with other figures or dates.

It looks for near twins only: nearly the same words in the same language and as many figures. What is
told in other words is for people and agents to find; what is found is worth their time.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final
from uuid import UUID

from wiki.text.sentences import plain_sentence

_FIGURE: Final = re.compile(
    r"\d{1,3}(?:[,'’ \u00a0\u202f]\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:[.,:/-]\d+)*"
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_MONTHS: Final = {
    name: str(number)
    for number, names in enumerate(
        (
            ("january", "jan", "januar"),
            ("february", "feb", "februar"),
            ("march", "mar", "märz"),
            ("april", "apr"),
            ("may", "mai"),
            ("june", "jun", "juni"),
            ("july", "jul", "juli"),
            ("august", "aug"),
            ("september", "sep", "sept"),
            ("october", "oct", "oktober"),
            ("november", "nov"),
            ("december", "dec", "dezember"),
        ),
        start=1,
    )
    for name in names
}
FEWEST_WORDS = 4
ALIKE = 0.8
"""Share of words that two sentences must have in common."""
MOST_TWINS = 40
"""Sentences with the same rare words beyond which they are a form, not a statement."""


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A sentence with figures."""

    page_id: UUID
    text: str
    words: frozenset[str]
    figures: tuple[str, ...]
    """Numbers and months in their order, each in one spelling."""


def statement_of(page_id: UUID, sentence: str) -> Statement | None:
    """Return a sentence as a statement; None when it has no figure or says too little."""
    plain = plain_sentence(sentence)
    words, figures = _read(plain)
    if not figures or len(words) < FEWEST_WORDS:
        return None
    return Statement(page_id=page_id, text=plain, words=words, figures=figures)


def disagreeing(statements: Sequence[Statement]) -> Iterator[tuple[Statement, Statement]]:
    """Yield pairs of different pages with nearly the same words and other figures, each once."""
    seen: set[tuple[str, str]] = set()
    for group in _groups(statements):
        for one, other in combinations(group, 2):
            pair = (one.text, other.text)
            if one.page_id != other.page_id and pair not in seen and _disagree(one, other):
                seen.add(pair)
                yield one, other


def _groups(statements: Iterable[Statement]) -> Iterator[list[Statement]]:
    """Yield statements that share their two rarest words: only those are compared."""
    statements = list(statements)
    frequent = Counter(word for each in statements for word in each.words)
    blocks: defaultdict[tuple[str, ...], list[Statement]] = defaultdict(list)
    for each in statements:
        rare = sorted(each.words, key=lambda word: (frequent[word], word))
        shared = [word for word in rare if frequent[word] > 1][:3]
        for pair in combinations(shared, 2):
            blocks[tuple(sorted(pair))].append(each)
    for block in blocks.values():
        if 1 < len(block) <= MOST_TWINS:
            yield block


def _disagree(one: Statement, other: Statement) -> bool:
    if one.figures == other.figures or len(one.figures) != len(other.figures):
        return False
    common = len(one.words & other.words)
    return common >= ALIKE * len(one.words | other.words)


def _read(plain: str) -> tuple[frozenset[str], tuple[str, ...]]:
    figures: list[tuple[int, str]] = [
        (found.start(), _normal(found.group())) for found in _FIGURE.finditer(plain)
    ]
    words: set[str] = set()
    for found in _WORD.finditer(plain.casefold()):
        month = _MONTHS.get(found.group())
        # "May" alone is mostly a verb: a month stands beside a number.
        if month is not None and _is_by_a_number(plain, found.start(), found.end()):
            figures.append((found.start(), f"m{month}"))
        else:
            words.add(found.group())
    return frozenset(words), tuple(sorted(figure for _at, figure in figures))


def _is_by_a_number(text: str, start: int, end: int) -> bool:
    return any(each.isdigit() for each in text[max(0, start - 4) : start] + text[end : end + 4])


def _normal(figure: str) -> str:
    """Return a number in one spelling: no separators of thousands, a point for decimals."""
    digits = re.sub(r"['’ \u00a0\u202f]", "", figure)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        return digits.replace(",", "")
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", digits):
        return digits.replace(".", "").replace(",", ".")
    if re.fullmatch(r"\d+,\d+", digits):
        return digits.replace(",", ".")
    return digits
