"""Tells a text's language from its script and a few function words, and splits it into terms."""

from __future__ import annotations

import re
from functools import lru_cache

import snowballstemmer  # type: ignore[import-untyped]  # the wheel has no types

from providers.local.extractive.words import FUNCTION_WORDS, STOP_HAN, STOP_WORDS

LATIN_UNKNOWN = "latin"

_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_OTHER_SCRIPTS = (
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_STOP_HANGUL_WORDS = re.compile(
    r"(무엇|무슨|언제|누구|누가|어디|어느|어떤|어떻게|얼마나?|몇|왜|입니까|인가요?|합니까|하는가|있는가)\S*"
)
_WORD = re.compile(r"[^\W_]+(?:[-./'’:,][^\W_]+)*", re.UNICODE)
_CJK_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+|[\uac00-\ud7a3]+")
_KATAKANA_WORD = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}")
_BEGINS_HIRAGANA = re.compile(r"^[\u3040-\u309fー]")
"""Particles and endings: "は何" says nothing, while "高さ" does."""


def detect_language(text: str) -> str:
    """Return "en", "zh", "ja", "ko" or another code; "latin" for Latin letters it can't place."""
    counts = {
        "ko": len(_HANGUL.findall(text)),
        "ja": len(_KANA.findall(text)),
        "zh": len(_HAN.findall(text)),
        **{code: len(pattern.findall(text)) for code, pattern in _OTHER_SCRIPTS},
    }
    # A CJK character says as much as some Latin letters, and names are often left in Latin.
    latin = len(_LATIN.findall(text)) / 6
    if counts["ja"] and counts["ja"] * 8 >= counts["zh"] and counts["ja"] + counts["zh"] > latin:
        return "ja"
    best = max(counts, key=lambda code: counts[code])
    if counts[best] > latin:
        return best
    return _latin_language(text)


def _latin_language(text: str) -> str:
    words = re.findall(r"[a-z\u00e0-\u024f]+", text[:4000].lower())
    hits = {code: sum(word in known for word in words) for code, known in FUNCTION_WORDS.items()}
    best, second = sorted(hits, key=lambda code: -hits[code])[:2]
    return best if hits[best] > hits[second] else LATIN_UNKNOWN


def same_language(first: str, second: str) -> bool:
    """Say whether two codes may be the same language; an unplaced Latin text fits any of them."""
    latin = {*FUNCTION_WORDS, LATIN_UNKNOWN}
    if LATIN_UNKNOWN in (first, second):
        return first in latin and second in latin
    return first == second


def terms(text: str) -> set[str]:
    """Return what a text is matched by: stems of words, pairs of CJK characters, identifiers.

    An identifier such as "RO-20221108" counts as a whole, without its marks, and by longer parts.
    """
    found: set[str] = set()
    lowered = _STOP_HANGUL_WORDS.sub(" ", text.lower())
    for run in _CJK_RUN.findall(lowered):
        found |= _pairs(run)
    for word in _WORD.findall(_CJK_RUN.sub(" ", lowered)):
        found |= _word_terms(word)
    return found


def _pairs(run: str) -> set[str]:
    """Return pairs of characters; a katakana word counts once, or it would outweigh the rest."""
    words = set(_KATAKANA_WORD.findall(run))
    rest = [part for part in _KATAKANA_WORD.split(run) if part]
    return words.union(*(_pairs_of(part) for part in rest))


def _pairs_of(run: str) -> set[str]:
    if len(run) == 1:
        return set() if run in STOP_HAN or _BEGINS_HIRAGANA.match(run) else {run}
    pairs = {run[i : i + 2] for i in range(len(run) - 1)}
    return {p for p in pairs if not _BEGINS_HIRAGANA.match(p) and not set(p) <= STOP_HAN}


def _word_terms(word: str) -> set[str]:
    parts = re.split(r"[-./'’:,]", word)
    if len(parts) == 1 or not any(character.isdigit() for character in word):
        return {_stem(part) for part in parts if _counts(part)}
    # Not every part of an identifier: together they would outweigh the rest of the question.
    return {"".join(parts)} | {_stem(part) for part in parts if len(part) > 2 and _counts(part)}


def _counts(word: str) -> bool:
    return word not in STOP_WORDS and (len(word) > 1 or word.isdigit())


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


_STEMMER = snowballstemmer.stemmer("english")
