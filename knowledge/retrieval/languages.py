"""Whether a passage is in another language than the question, where words cannot meet."""

from __future__ import annotations

from knowledge.text.analyze import share_language

COMMON_WORDS = 0.4
"""Coverage from which the words do meet: a code, a name, an acronym. Across languages 98 % of the
best passages have less."""


def in_another_language(question: str, passage: str, *, coverage: float) -> bool:
    """Say whether question and passage differ in language and hardly share a word."""
    return coverage < COMMON_WORDS and not share_language(question, passage)
