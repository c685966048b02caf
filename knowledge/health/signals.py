"""Cheap signals of how well a page was read, each from 0 (spoiled) to 1 (sound)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.health.language import plausibility
from knowledge.parsers.contract import Block

INK_LETTERS = 8_000
"""Letters that a page wholly black with text would hold at the least; print holds five times that."""
MOST_INK = 0.08
"""More ink than a page full of print has is a picture's or a ground's, and asks for no more text."""
_BLANK_INK = 0.002
_UNMAPPED = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd\ufffe\uffff\ue000-\uf8ff\U000f0000-\U0010fffd]"
    r"|\(cid:\d+\)|&#\d+;"
)
_MOJIBAKE = re.compile(
    # UTF-8 read as a code page of one byte: a lead byte's letter, then what stands for 0x80-0xbf.
    "[ÂÃâÅÄÐÑØÙãäåæçèé][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{1,2}|ï¿½|锟斤拷|烫烫"
)
_REPLACED_SHARE = 0.04
"""Of the letters: with more of them nothing on the page can be relied on."""
_DIGIT_SHARE = 0.08
_PLAIN = 0.4
_VALUE = re.compile(r"[-+$€£(]?\d[\d.,:/%]*\)?")
_LINE_VALUES, _LOOSE_LINES = 3, 4
_GLUED = re.compile(r"^\s*[-+$€£]?\d[\d.,]*%?(?:\s+[-+$€£]?\d[\d.,]*%?){2,}\s*$")


@dataclass(frozen=True, kw_only=True)
class Signals:
    """What was found on one page; None where a signal has nothing to say."""

    letters: int
    ink: float | None = None
    """Share of the page that is drawn on; None where it was not looked at."""
    density: float | None = None
    replaced: float | None = None
    grid: float | None = None
    layout: float | None = None
    """Low where headings and tables of a page could not be seen, so that it is plain text."""
    language: float | None = None
    ocr: float | None = None
    """What the OCR engine says itself."""


def signals_of(
    blocks: Sequence[Block],
    *,
    ink: float | None = None,
    ocr: float | None = None,
    is_unread: bool = False,
    is_plain: bool = False,
) -> Signals:
    """Return the signals of a page's visible blocks.

    Args:
        blocks: all blocks of the page.
        ink: see `Signals`.
        ocr: mean score of the lines that OCR found; None where it was not asked.
        is_unread: whether the page shows something of which there is no text.
        is_plain: whether it has places for headings and tables, but was read without them.
    """
    texts = [block.markdown for block in blocks if not block.hidden]
    text = "\n\n".join(texts)
    letters = sum(map(len, text.split()))
    return Signals(
        letters=letters,
        ink=ink,
        density=density(letters, ink, is_unread=is_unread),
        replaced=_replaced(text, letters) if letters else None,
        grid=_grid(texts),
        layout=(_PLAIN if is_plain else 1.0) if letters else None,
        language=plausibility(text).score if letters else None,
        ocr=ocr,
    )


def density(letters: int, ink: float | None, *, is_unread: bool) -> float | None:
    """Return how many of the letters that the ink promises are there; None for a blank page."""
    if is_unread and not letters:
        return 0.0
    if ink is None or letters >= INK_LETTERS * MOST_INK:
        return 1.0 if letters else None
    if ink < _BLANK_INK:
        return 1.0 if letters else None
    return min(1.0, letters / (INK_LETTERS * min(ink, MOST_INK)))


def _replaced(text: str, letters: int) -> float:
    spoiled = len(_UNMAPPED.findall(text)) + sum(len(found) for found in _MOJIBAKE.findall(text))
    return max(0.0, 1 - spoiled / max(letters, 1) / _REPLACED_SHARE)


def _grid(texts: Sequence[str]) -> float | None:
    """Return how much of what looks like tables is one, weighed by lines; None without any."""
    sound = lines = 0.0
    for text in texts:
        if text.startswith("|"):
            rows = [_cells(line) for line in text.splitlines() if line.startswith("|")]
            lines += len(rows)
            sound += len(rows) * _regularity(rows)
        elif not text.startswith("```"):
            lines += _loose_lines(text)
    return sound / lines if lines else None


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _regularity(rows: Sequence[Sequence[str]]) -> float:
    """Return the share of rows that have the usual width and no cell with glued values."""
    width = max((len(row) for row in rows), default=0)
    sound = sum(len(row) == width and not any(_GLUED.match(cell) for cell in row) for row in rows)
    return sound / len(rows)


def _loose_lines(text: str) -> int:
    """Count lines of values outside of tables, where many stand together: rows, or torn columns."""
    if sum(map(text.count, "0123456789")) < _DIGIT_SHARE * len(text):
        return 0
    count = 0
    for line in text.splitlines():
        words = line.split()
        values = sum(_VALUE.fullmatch(word) is not None for word in words)
        count += values >= _LINE_VALUES or values == len(words) == 1
    return count if count >= _LOOSE_LINES else 0
