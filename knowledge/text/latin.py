"""Words of alphabets: which language they are in, their stems, codes and numbers."""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import Any

import snowballstemmer  # type: ignore[import-untyped]  # it ships no types

from knowledge.text.stopwords import STOP_WORDS, Language

MAXIMUM_TERM = 64
"""Characters; what is longer is a key or a picture, not a word."""
_SAMPLE_CHARACTERS = 600
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_ALGORITHMS: dict[Language, str] = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
    "ru": "russian",
}
_ELISIONS = frozenset(["l", "d", "j", "n", "s", "t", "m", "c", "qu"])
"""French and Italian: l'eau is about water."""
_ENCLITICS = frozenset(["s", "t", "re", "ve", "ll", "d", "m"])
"""English: don't, it's, we'll."""
_JOINERS = re.compile(r"[-_./:@#+&,]")
_LETTERS_OR_DIGITS = re.compile(r"\d+|[^\W\d_]+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DECIMAL = re.compile(r"\d+[.,]\d+")
_MINIMUM_HITS = 2
_MINIMUM_SHARE = 0.2
_LEAD = 1.3
_stemmers: dict[Language, Any] = {}
_stemming = threading.Lock()


def language_of(text: str) -> Language | None:
    """Return the language of a casefolded text in an alphabet; None when that is not sure."""
    words = _WORD.findall(text[:_SAMPLE_CHARACTERS])
    if not words:
        return None
    hits = {language: sum(word in stop for word in words) for language, stop in STOP_WORDS.items()}
    first, second = sorted(hits, key=lambda language: -hits[language])[:2]
    sure = (
        hits[first] >= _MINIMUM_HITS
        and hits[first] >= _MINIMUM_SHARE * len(words)
        and hits[first] >= _LEAD * hits[second]
    )
    return first if sure else None


def terms_of(joined: str, language: Language | None) -> tuple[str, ...]:
    """Return the terms of one casefolded word, or of several that are joined without a space.

    A code or number ("ro-20221108", "2018-23-51") is kept whole and in its parts. Every word has
    its English stem, so that a short query whose language nobody can tell finds it, and the stem of
    its own language beside it.
    """
    if "'" in joined:
        return _around_apostrophe(joined, language)
    if joined.endswith(("+", "#")):
        return (joined[:MAXIMUM_TERM],)
    if not _JOINERS.search(joined):
        return _word_terms(joined, language)
    if _THOUSANDS.fullmatch(joined):
        return (joined.replace(",", ""),)
    if _DECIMAL.fullmatch(joined):
        return (joined.replace(",", "."),)
    parts = [part for part in _JOINERS.split(joined) if part]
    is_name = any(character.isdigit() or character in "_@." for character in joined)
    whole = (joined,) if is_name and len(joined) <= MAXIMUM_TERM else ()
    return whole + tuple(term for part in parts for term in _word_terms(part, language))


def _around_apostrophe(joined: str, language: Language | None) -> tuple[str, ...]:
    before, _, after = joined.partition("'")
    if before in _ELISIONS and len(after) > 2:
        return terms_of(after, language)
    if after in _ENCLITICS:
        word = before.removesuffix("n") if after == "t" else before
        return terms_of(word, language)
    return terms_of(before, language) + terms_of(after, language)


@lru_cache(maxsize=50_000)
def _word_terms(word: str, language: Language | None) -> tuple[str, ...]:
    """Return the terms of a word without joiners."""
    if any(character.isdigit() for character in word):
        parts = _LETTERS_OR_DIGITS.findall(word)
        return (word[:MAXIMUM_TERM], *parts) if len(parts) > 1 else (word[:MAXIMUM_TERM],)
    if word in STOP_WORDS["en"] or (language and word in STOP_WORDS[language]):
        return ()
    if len(word) > MAXIMUM_TERM:
        return (word[:MAXIMUM_TERM],)
    general = _stem(word, "en") if word.isascii() else word
    own = _stem(word, language) if language else general
    return (general,) if own == general else (general, own)


def _stem(word: str, language: Language) -> str:
    # A stemmer holds the word it works on, and threads share it.
    with _stemming:
        if language not in _stemmers:
            _stemmers[language] = snowballstemmer.stemmer(_ALGORITHMS[language])
        stem: str = _stemmers[language].stemWord(word)
    return stem or word
