"""How many characters a number of tokens is, by language, and which language a text is in."""

from __future__ import annotations

import re
from typing import Literal

TextLanguage = Literal["en", "de", "zh", "mixed"]

CHARACTERS_PER_TOKEN: dict[TextLanguage, float] = {"en": 4.0, "de": 4.5, "zh": 1.7, "mixed": 3.0}
_MARGIN = 0.9
"""Of the mean, so that most chunks have fewer tokens than the limit."""
_SAMPLE = 1_500
_HAN_AND_KANA = re.compile("[\u3040-\u30ff\u3400-\u9fff]+")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]+")
_GERMAN = re.compile(
    r"\b(?:der|die|das|und|ist|nicht|mit|von|für|ein|eine|auf|den|dem|des|sich|auch|werden)\b|[äöüß]",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")


def characters_of(tokens: int, language: TextLanguage) -> int:
    """Return how many characters about so many tokens are, rather too few than too many."""
    return int(tokens * CHARACTERS_PER_TOKEN[language] * _MARGIN)


def language_of(text: str) -> TextLanguage:
    """Return the kind of language that decides how long tokens are, from three samples."""
    middle = max(0, len(text) // 2 - _SAMPLE // 2)
    samples = dict.fromkeys((0, middle, max(0, len(text) - _SAMPLE)))
    sample = " ".join(text[start : start + _SAMPLE] for start in samples)
    words = _WORD.findall(sample)
    letters = sum(map(len, words))
    if not letters:
        return "en"
    han = sum(map(len, _HAN_AND_KANA.findall(sample))) / letters
    if han > 0.5:
        return "zh"
    latin = sum(map(len, _LATIN.findall(sample))) / letters
    if han > 0.05 or latin < 0.9:
        return "mixed"
    return "de" if len(_GERMAN.findall(sample)) / len(words) > 0.12 else "en"
