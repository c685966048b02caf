"""Tells a stored reason in the reader's language: it was written in English, where nobody was there.

A sentence without values is its own key. One with values is recognised by its words
(`knowledge.reason_words`), and its values go into the translation; a value that is a sentence itself
is told the same way.
"""

from __future__ import annotations

import re
from functools import cache

from django.utils.translation import get_language, gettext

from knowledge.reason_words import REASONS

_PLACE = re.compile(r"%\((\w+)\)s")
_TOLD = frozenset({"reason", "what", "pages", "engine", "type", "same"})
"""Values that are words of ours themselves."""
_LONGEST = 4_000
"""Characters of a reason; what is longer is something else."""
_DEEPEST = 3


def told(reason: str) -> str:
    """Return a stored reason in the active language; one that is not known, as it stands."""
    if not reason or (get_language() or "en").startswith("en"):
        return reason
    return _told(reason, _DEEPEST)


def is_known(reason: str) -> bool:
    """Whether translators have this sentence."""
    return reason in REASONS or any(pattern.fullmatch(reason) for pattern, _ in _patterns())


def _told(reason: str, depth: int) -> str:
    same = gettext(reason)
    if same != reason or len(reason) > _LONGEST or not depth:
        return same
    for pattern, words in _patterns():
        found = pattern.fullmatch(reason)
        if found is not None:
            values = {
                name: _told(value, depth - 1) if name in _TOLD else value
                for name, value in found.groupdict().items()
            }
            return gettext(words) % values
    return reason


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the sentences with values as patterns, those with most words of their own first."""
    rows = [words for words in REASONS if _PLACE.search(words)]
    rows.sort(key=lambda words: len(_PLACE.sub("", words)), reverse=True)
    return tuple((re.compile(_expression(words), re.DOTALL), words) for words in rows)


def _expression(words: str) -> str:
    pieces = _PLACE.split(words)  # text, name, text, name, … text
    return "".join(
        f"(?P<{piece}>.+?)" if number % 2 else re.escape(piece)
        for number, piece in enumerate(pieces)
    )
