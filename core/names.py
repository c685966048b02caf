"""Names as people give them, without the characters that nobody sees.

A name stands in lists, mails and audits beside others. A character that turns the direction of what
follows, or has no width, makes it look like another name or moves the text around it. Such
characters are taken out rather than refused: who pastes them does not see them, either.
"""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""What looks like nothing, though its category is that of a letter, mark or sign."""
_SIGNS_OF_NUMBERS = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u08e2\U000110bd\U000110cd"
)
"""Format characters that are drawn: Arabic and Kaithi signs around numbers."""
_HIDDEN = frozenset({"Cc", "Cf", "Cs"})


def clean_name(text: str) -> str:
    """Return a name in one line: what cannot be seen is gone, blanks are single. May be empty."""
    return " ".join(without_hidden(" ".join(text.split())).split())


def without_hidden(text: str) -> str:
    """Return the text without control, direction and zero-width characters.

    Joiners stay between the letters and pictures that need them: Persian, the scripts of India,
    emoji.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        for position, character in enumerate(text)
        if not _is_hidden(character) or _joins(text, position)
    )


def _is_hidden(character: str) -> bool:
    if character in _SIGNS_OF_NUMBERS:
        return False
    return character in _BLANK_LETTERS or unicodedata.category(character) in _HIDDEN


def _joins(text: str, position: int) -> bool:
    """Say whether the character is a joiner between two that a joiner changes."""
    if text[position] not in _JOINERS or not 0 < position < len(text) - 1:
        return False
    return _is_joined(text[position - 1]) and _is_joined(text[position + 1])


def _is_joined(character: str) -> bool:
    if unicodedata.category(character) in ("So", "Sk"):
        return True
    # From Hebrew to Myanmar, Khmer and Mongolian; the selector that makes a sign a picture.
    number = ord(character)
    return 0x0590 <= number < 0x1100 or 0x1780 <= number < 0x18B0 or number == 0xFE0F
