"""What two questions have in common when people would call them the same."""

from __future__ import annotations

import functools
import hashlib
import re
import unicodedata

import opencc

_URL = re.compile(r"(?:https?://|www\.)[\x21-\x7e]+", re.IGNORECASE)
_FULL_TO_HALF = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_KEPT_MARKS = frozenset("#%&@*")
"""Punctuation that makes another word of one: C# is not C, 5% is not 5."""
_CLOSE_UP = re.compile(r"(?<=[\u2e80-\u9fff\uf900-\ufaff])\s+|\s+(?=[\u2e80-\u9fff\uf900-\ufaff])")
"""Blanks beside Chinese and Japanese characters say nothing; between Latin words they do."""
_APOSTROPHES = frozenset("'’ʼ`")
_ROUNDS = 3


def normal_form(text: str) -> str:
    """Return the question without what does not change its meaning.

    Addresses, punctuation, case, width, blanks and Traditional characters go. A text that is made
    of nothing else keeps its characters, so that two of them are not taken for each other.
    """
    plain = " ".join(text.translate(_FULL_TO_HALF).casefold().split())
    before = plain
    for _ in range(_ROUNDS):  # a phrase that only closing up made may have another simple form
        after = _once(before)
        if after == before:
            break
        before = after
    return before or plain


def question_hash(text: str) -> str:
    """Return the SHA-256 of the question's normal form, hexadecimal."""
    return hashlib.sha256(normal_form(text).encode("utf-8", "replace")).hexdigest()


def _once(text: str) -> str:
    text = _URL.sub(" ", text)
    text = "".join(_without_marks(character) for character in text)
    text = _CLOSE_UP.sub("", " ".join(text.split()))
    return str(_simplifier().convert(text))


def _without_marks(character: str) -> str:
    if character in _APOSTROPHES:
        return ""
    category = unicodedata.category(character)
    if category.startswith(("P", "C")) and character not in _KEPT_MARKS:
        return " "
    return character


@functools.cache
def _simplifier() -> opencc.OpenCC:
    return opencc.OpenCC("t2s")
