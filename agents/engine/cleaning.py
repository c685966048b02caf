"""Text that every store takes: no NUL, no lone surrogates."""

from __future__ import annotations

import math
from typing import Any


def clean_text(text: str) -> str:
    """Return the text without NUL; halves of surrogate pairs are joined, lone ones replaced."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def clean_json(value: Any) -> Any:
    """Return a value as JSON that every store takes; what is no JSON becomes its text."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list | tuple):
        return [clean_json(each) for each in value]
    if isinstance(value, dict):
        return {clean_text(str(key)): clean_json(each) for key, each in value.items()}
    return clean_text(str(value))


class TextCleaner:
    """Cleans a stream; a surrogate pair that is cut between two pieces is kept whole."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Return what is certain after this piece."""
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._held = text[:-1], text[-1]
        return clean_text(text)
