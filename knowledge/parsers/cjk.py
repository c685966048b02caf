"""Joins of Chinese and Japanese text, which has no spaces, across the line ends of a layout."""

from __future__ import annotations

import re

_WIDE = (
    "\u3001-\u3003\u3005-\u3011\u3014-\u301f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff60"
)
_SOFT_WRAP = re.compile(f"(?<=[{_WIDE}])[ \t]*\n[ \t]*(?=[{_WIDE}])|(?<=[{_WIDE}]) (?=[{_WIDE}])")


def join_wide_text(text: str) -> str:
    """Take out the spaces that a line end left between Han or Kana; Hangul keeps its spaces."""
    return text if text.isascii() else _SOFT_WRAP.sub("", text)
