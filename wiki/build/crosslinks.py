"""Links to other pages: the first time that a page names one, outside of code, links and headings."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from knowledge.text.scripts import HAN, HANGUL, HIRAGANA, KATAKANA, UNSPACED
from wiki.text.links import slugs_in
from wiki.text.sentences import split_sentences

_KEPT: Final = re.compile(
    r"!?\[\[[^\[\]\n]*\]\]|!?\[[^\[\]\n]*\]\([^()\n]*\)|(`+)[^`\n]*\1|<[^<>\n]*>|https?://\S+"
)
_UNSPACED: Final = re.compile(f"[{HAN}{HIRAGANA}{KATAKANA}{HANGUL}{UNSPACED}]")
_LEAST: Final = 2
"""Characters of a name that is linked."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A page that others may link to, by one of its names."""

    slug: str
    name: str


def with_links(
    content: str, targets: Sequence[Target], *, own_slug: str, only: Collection[str] | None = None
) -> str:
    """Return the text with links to pages that it names and does not link to yet.

    Longer names go first: a name inside of another one is not linked. `only` limits it to sentences
    with these hashes; all else stays byte for byte.
    """
    linked = {own_slug, *slugs_in(content)}
    for target in sorted(targets, key=lambda each: (-len(each.name), each.name, each.slug)):
        if target.slug in linked or len(target.name) < _LEAST:
            continue
        place = _first(content, target.name, only)
        if place is not None:
            start, end = place
            content = f"{content[:start]}[[{target.slug}|{content[start:end]}]]{content[end:]}"
            linked.add(target.slug)
    return content


def _first(content: str, name: str, only: Collection[str] | None) -> tuple[int, int] | None:
    if name.casefold() not in content.casefold():
        return None
    pattern = _pattern(name)
    for sentence in split_sentences(content):
        if only is not None and sentence.hash not in only:
            continue
        kept = [found.span() for found in _KEPT.finditer(content, sentence.start, sentence.end)]
        for found in pattern.finditer(content, sentence.start, sentence.end):
            if not any(start < found.end() and found.start() < end for start, end in kept):
                return found.span()
    return None


@lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str]:
    before = "" if _UNSPACED.match(name[0]) else r"(?<![\w-])"
    after = "" if _UNSPACED.match(name[-1]) else r"(?![\w-])"
    # A short name in capitals or with one word means what it says only as it is written.
    exact = len(name) <= 4 or name.isupper()
    return re.compile(before + re.escape(name) + after, 0 if exact else re.IGNORECASE)
