"""How much a text looks like one in any language that we know, from pairs of letters.

What is spoiled by a wrong map of letters or a wrong encoding keeps its length and its blanks, but
its pairs of letters are those of no language. Chinese, Japanese and Korean are told by signs: only
a part of them is in daily use, and the most frequent ones stand in every paragraph.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from operator import add
from pathlib import Path

_TABLE = Path(__file__).with_name("bigrams.json")
_MOST_CHARACTERS, _MOST_LETTERS = 6_000, 1_500
"""What is looked at: more does not change the verdict."""
_LANE_BITS = 16
_LANE_MASK = (1 << _LANE_BITS) - 1
_WORD = re.compile(r"[^\W\d_]{2,}")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_FEWEST_PAIRS = 60
"""Fewer say nothing: a page of figures is not a bad page."""
_SPOILED_SHARE, _SOUND_SHARE = 0.68, 0.84
"""Of pairs that are usual in the language that fits best."""
_MANY_PAIRS = 240
"""With fewer chance has a say: the verdict is milder."""
_RARE_SHARE, _DAILY_SHARE = 0.55, 0.9
_FUNCTION_SHARE = 0.06
_FUNCTION_SIGNS = frozenset(
    "的一是不了在人有我他这這中大来來上国國个個到说說们們为為子和你地出道也时時年得就那要下以生会會自着之"
    "のにをはがでとたしてるなもいれらあこ이다는에을의가로고한를은지도하기사서리인"
)


@dataclass(frozen=True, kw_only=True)
class Plausibility:
    """How a text stands to the languages."""

    score: float
    """0..1: 1 for text of a language, or for too little text to say."""
    letters: int
    """Letters of known scripts that were looked at."""


def plausibility(text: str) -> Plausibility:
    """Return how much `text` looks like one of our languages."""
    sample = text[:_MOST_CHARACTERS]
    wide = [] if sample.isascii() else _WIDE.findall(sample)
    pairs = _pairs(_WIDE.sub(" ", sample) if wide else sample)
    count = pairs.total()
    parts = []
    if count >= _FEWEST_PAIRS:
        parts.append((_usual_pairs(pairs), count))
    if len(wide) >= _FEWEST_PAIRS // 2:
        parts.append((_usual_signs(wide), 2 * len(wide)))
    letters = count + len(wide)
    if not parts:
        return Plausibility(score=1.0, letters=letters)
    whole = sum(weight for _, weight in parts)
    return Plausibility(
        score=sum(score * weight for score, weight in parts) / whole, letters=letters
    )


def _pairs(text: str) -> Counter[str]:
    """Count the pairs of letters in words, and at their edges with a blank."""
    words = " ".join(_WORD.findall(text.casefold()))[:_MOST_LETTERS]
    padded = f" {words} "
    return Counter(map(add, padded, padded[1:])) if words else Counter()


def _usual_pairs(pairs: Counter[str]) -> float:
    lanes, everywhere = _lanes(), _everywhere()
    hits = 0
    for pair, count in pairs.items():
        lane = lanes.get(pair)
        if lane is None:
            # A script that has no table says neither yes nor no.
            lane = 0 if _has_table(pair) else everywhere
        hits += count * lane
    best = max(
        (hits >> shift) & _LANE_MASK for shift in range(0, _LANE_BITS * len(_table()), _LANE_BITS)
    )
    doubt = 1 - _between(best / pairs.total(), _SPOILED_SHARE, _SOUND_SHARE)
    return 1 - doubt * min(1.0, pairs.total() / _MANY_PAIRS)


@cache
def _table() -> list[frozenset[str]]:
    table: dict[str, str] = json.loads(_TABLE.read_text(encoding="utf-8"))
    return [
        frozenset(map("".join, zip(pairs[::2], pairs[1::2], strict=True)))
        for pairs in table.values()
    ]


@cache
def _lanes() -> dict[str, int]:
    """Return a number for each pair in which each language that has it has 1 in its own bits.

    So one multiplication counts a pair for all languages; a page has three hundred.
    """
    found: dict[str, int] = {}
    for number, pairs in enumerate(_table()):
        for pair in pairs:
            found[pair] = found.get(pair, 0) | 1 << number * _LANE_BITS
    return found


@cache
def _everywhere() -> int:
    return sum(1 << number * _LANE_BITS for number in range(len(_table())))


@cache
def _blocks() -> frozenset[int]:
    """Return the blocks of 128 code points that the table has letters of."""
    return frozenset(ord(sign) >> 7 for pairs in _table() for pair in pairs for sign in pair)


def _has_table(pair: str) -> bool:
    return all(ord(sign) >> 7 in _blocks() for sign in pair if sign != " ")


def _usual_signs(signs: list[str]) -> float:
    daily = sum(_is_daily(sign) for sign in signs) / len(signs)
    function = sum(sign in _FUNCTION_SIGNS for sign in signs) / len(signs)
    return 0.6 * _between(daily, _RARE_SHARE, _DAILY_SHARE) + 0.4 * min(
        1.0, function / _FUNCTION_SHARE
    )


@cache
def _is_daily(sign: str) -> bool:
    """Say whether the standards of a country have the sign among those in daily use.

    GB 2312, Big5 and JIS X 0208 put these first; KS X 1001 has no other syllables at all.
    """
    return (
        "\u3040" <= sign <= "\u30ff"
        or _code(sign, "euc_kr") >= 0xB0A1 > 0
        and "\uac00" <= sign <= "\ud7a3"
        or 0xB0A1 <= _code(sign, "gb2312") <= 0xD7F9
        or 0xA440 <= _code(sign, "big5") <= 0xC67E
        or 0x889F <= _code(sign, "shift_jis") <= 0x9872
    )


def _code(sign: str, encoding: str) -> int:
    return int.from_bytes(sign.encode(encoding, "ignore"), "big")


def _between(value: float, low: float, high: float) -> float:
    return min(1.0, max(0.0, (value - low) / (high - low)))
