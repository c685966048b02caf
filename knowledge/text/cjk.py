"""Terms of Chinese, Japanese, Korean and of other scripts that are written without spaces."""

from __future__ import annotations

import re

import rjieba

from knowledge.text.scripts import HAN, HANGUL, HIRAGANA, KATAKANA
from knowledge.text.stopwords import (
    CHINESE,
    JAPANESE_PAIRS,
    KOREAN_PAIRS,
    KOREAN_PARTICLES,
)

_LONGEST_WHOLE = 12
"""Longer runs are phrases: nobody asks for the whole of one."""
_KANA = re.compile(f"[{HIRAGANA}{KATAKANA}]")
_JAPANESE_PARTS = re.compile(f"(?P<kanji>[{HAN}]+)|(?P<katakana>[{KATAKANA}]+)|[{HIRAGANA}]+")
_SYLLABLES = re.compile(f"[{HANGUL}]+")


def pairs(run: str) -> list[str]:
    """Return every two neighbours of a run; the character itself when there is only one."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def terms_of_han_and_kana(run: str) -> list[str]:
    """Return the terms of a run of Han and kana; kana anywhere in it make it Japanese."""
    return _japanese(run) if _KANA.search(run) else _chinese(run)


def _chinese(run: str) -> list[str]:
    """Return the dictionary's words, and pairs where it knows none (names, Traditional text)."""
    terms = [word for word in rjieba.cut_for_search(run) if word not in CHINESE]
    unknown = ""
    for word in rjieba.cut(run):
        known = rjieba.has_word(word) if len(word) > 1 else word in CHINESE
        if known:
            terms += pairs(unknown) if len(unknown) > 1 else []
            unknown = ""
        else:
            unknown += word
    return terms + (pairs(unknown) if len(unknown) > 1 else [])


def _japanese(run: str) -> list[str]:
    """Return compounds of kanji and katakana words, whole and in pairs, and pairs of hiragana.

    A kanji before hiragana gives a pair with it: the stem of a verb or an adjective.
    """
    terms: list[str] = []
    for part in _JAPANESE_PARTS.finditer(run):
        text, end = part.group(), part.end()
        if part.lastgroup is None:
            terms += [pair for pair in pairs(text) if len(pair) > 1 and pair not in JAPANESE_PAIRS]
            continue
        if 2 < len(text) <= _LONGEST_WHOLE:
            terms.append(text)
        terms += pairs(text)
        if part.lastgroup == "kanji" and end < len(run) and _KANA.match(run, end):
            terms.append(run[end - 1 : end + 1])
    return terms


def terms_of_hangul(word: str) -> list[str]:
    """Return a Korean word without its particle, and its pairs of syllables."""
    terms: list[str] = []
    noun = _without_particle(word)
    if 2 < len(noun) <= _LONGEST_WHOLE or len(noun) == 1 < len(word):
        terms.append(noun)
    return terms + [pair for pair in pairs(word) if pair not in KOREAN_PAIRS]


def _without_particle(word: str) -> str:
    for particle in KOREAN_PARTICLES:
        rest = len(word) - len(particle)
        if word.endswith(particle) and rest >= 1 and (rest >= 2 or len(particle) == 1):
            return word[:rest]
    return word


def terms_of_unspaced(run: str) -> list[str]:
    """Return the pairs of a Thai, Lao, Burmese or Khmer run."""
    return pairs(run)
