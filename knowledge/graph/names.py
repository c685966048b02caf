"""Names of entities: their normal form, by which they are merged, and whether a text has them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.models.graph import NAME_CHARACTERS
from knowledge.text.analyze import analyze, fold
from knowledge.text.scripts import HAN, HANGUL, HIRAGANA, KATAKANA, UNSPACED

LONGEST_GRAM = 6
"""Words of a name in a question."""
LONGEST_RUN = 12
"""Characters of a name in a script without spaces."""
_MARKS = " \t\"'`“”‘’„«»()[]{}<>.,;:!?…、。，；：！？「」『』《》"
_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S{2})")
_WITHOUT_SPACES = re.compile(f"[{HAN}{HIRAGANA}{KATAKANA}{HANGUL}{UNSPACED}]{{2,}}")


def clean_text(text: str, most: int) -> str:
    """Return one line of at most `most` characters that PostgreSQL takes."""
    line = " ".join(text.replace("\x00", " ").split()).encode("utf-8", "replace").decode()
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def normal_form(name: str) -> str:
    """Return the form in which names are compared; blank when nothing of it is a name.

    Case, width, quotes, marks around it and an English article do not matter.
    """
    folded = " ".join(fold(name.replace("\x00", " ")).split()).strip(_MARKS)
    folded = _ARTICLE.sub("", folded, count=1) if _ARTICLE.match(folded) else folded
    return folded if len(folded) <= NAME_CHARACTERS and re.search(r"\w", folded) else ""


class Ground:
    """A text that names must stand in."""

    def __init__(self, text: str) -> None:
        """Take the text apart."""
        self._folded = " ".join(fold(text).split())
        self._terms = frozenset(analyze(text))

    def has(self, normal: str) -> bool:
        """Say whether a name in its normal form stands in the text, or all of its words do."""
        if normal in self._folded:
            return True
        terms = set(analyze(normal))
        return bool(terms) and terms <= self._terms


def possible_names(question: str, *, most_words: int = 40) -> list[str]:
    """Return the normal forms of all runs of words in a question that may be a name, longest first."""
    found: dict[str, None] = {}
    for each in _runs(question, most_words):
        if len(each) > 1 and (normal := normal_form(each)):
            found[normal] = None
    return sorted(found, key=lambda each: (-len(each), each))


def is_in_words(name: str) -> bool:
    """Say whether a name is in a script with spaces between words."""
    return not _WITHOUT_SPACES.search(name)


def _runs(question: str, most_words: int) -> Iterator[str]:
    words = fold(question).split()[:most_words]
    for begin in range(len(words)):
        for end in range(begin + 1, min(begin + LONGEST_GRAM, len(words)) + 1):
            yield " ".join(words[begin:end])
    for run in _WITHOUT_SPACES.finditer(" ".join(words)):
        text = run.group()[:100]
        for begin in range(len(text)):
            for end in range(begin + 2, min(begin + LONGEST_RUN, len(text)) + 1):
                yield text[begin:end]
