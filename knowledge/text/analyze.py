"""Turns a text into terms: the one function for what is indexed and for what is asked.

Order of things: compatibility forms are made one (full width, ligatures) and case is folded; runs
of one kind of script are cut out; each kind has its own rule. Bump `ANALYZER_VERSION` whenever the
terms of some text change: indexed rows carry it.
"""

from __future__ import annotations

import re
import unicodedata

from knowledge.text.cjk import terms_of_han_and_kana, terms_of_hangul, terms_of_unspaced
from knowledge.text.latin import language_of, terms_of
from knowledge.text.scripts import HAN, HANGUL, HIRAGANA, KATAKANA, UNSPACED, script_of

ANALYZER_VERSION = 1

_CHARACTER = rf"[^\W_{HAN}{HIRAGANA}{KATAKANA}{HANGUL}{UNSPACED}]"
_RUN = re.compile(
    rf"(?P<cjk>[{HAN}{HIRAGANA}{KATAKANA}]+)"
    rf"|(?P<hangul>[{HANGUL}]+)"
    rf"|(?P<unspaced>[{UNSPACED}]+)"
    # Combining marks (Indic vowels, Arabic points) are no word characters but belong to words.
    rf"|(?P<word>{_CHARACTER}(?:{_CHARACTER}|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0dff])*+"
    rf"(?:[-_./:@#+&',]{_CHARACTER}++)*+(?:\+\+|\#(?!{_CHARACTER}))?)"
)


def analyze(text: str) -> list[str]:
    """Return the terms of `text` in their order, each as often as it occurs."""
    folded = fold(text)
    language = language_of(folded)
    terms: list[str] = []
    for run in _RUN.finditer(folded):
        kind = run.lastgroup
        if kind == "word":
            terms += terms_of(run.group(), language)
        elif kind == "cjk":
            terms += terms_of_han_and_kana(run.group())
        elif kind == "hangul":
            terms += terms_of_hangul(run.group())
        else:
            terms += terms_of_unspaced(run.group())
    return terms


def share_language(question: str, passage: str) -> bool:
    """Say whether both are in one language, as far as scripts and sure guesses tell."""
    scripts = script_of(question), script_of(passage)
    if "none" in scripts:
        return True
    if scripts[0] != scripts[1]:
        # A Japanese or Chinese question may be all Han.
        return set(scripts) == {"han", "japanese"}
    languages = language_of(fold(question)), language_of(fold(passage))
    return None in languages or languages[0] == languages[1]


def fold(text: str) -> str:
    """Return the text in one compatibility form, without case and with straight apostrophes."""
    return unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
