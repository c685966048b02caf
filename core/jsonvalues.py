"""JSON that PostgreSQL can keep: its text holds neither NUL nor half a surrogate pair."""

from __future__ import annotations

import re
from typing import Any

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable_text(text: str) -> str:
    """Return the text with what cannot be stored shown as a replacement character."""
    return _UNSTORABLE.sub("\ufffd", text)


def storable(value: Any) -> Any:
    """Return the JSON value with all its texts storable; keys too."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {storable_text(str(key)): storable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [storable(each) for each in value]
    return value
