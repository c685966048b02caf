"""Where a text names another page without a link: outside of links and code, whole words only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from wiki.text.links import find_links

_WORD: Final = re.compile(r"\w+")
_NO_TEXT: Final = re.compile(
    r"^[ ]{0,3}(?P<mark>`{3,}|~{3,}).*?(?:^[ ]{0,3}(?P=mark)|\Z)|`[^`\n]*`|!?\[[^\[\]\n]*\]\([^()\n]*\)"
    r"|https?://\S+|^[ ]{0,3}#{1,6}[ \t].*?$|<!--.*?-->",
    re.MULTILINE | re.DOTALL,
)
"""Code, links, addresses and headings: nothing there becomes a link."""
_SPACELESS: Final = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯]")
SHORTEST = 4
"""Characters of a name that is looked for; of a name in a script without spaces, half."""


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A place where a page's name stands."""

    page_id: UUID
    start: int
    end: int


class Names:
    """Names of pages, looked for all at once: the time grows with the text, not with the names."""

    def __init__(self, names: Iterable[tuple[str, UUID]]) -> None:
        """Take pairs of a name and the page that has it; a name of two pages is nobody's."""
        owners: dict[str, set[UUID]] = {}
        for name, page_id in names:
            plain = _plain(name)
            if _is_long_enough(plain):
                owners.setdefault(plain, set()).add(page_id)
        self._owner = {name: next(iter(ids)) for name, ids in owners.items() if len(ids) == 1}
        self._by_word: dict[str, list[str]] = {}
        self._spaceless: list[str] = []
        for name in sorted(self._owner, key=len, reverse=True):
            first = _WORD.match(name)
            if _SPACELESS.search(name):
                self._spaceless.append(name)
            elif first is not None:
                self._by_word.setdefault(first.group(), []).append(name)

    def find(self, content: str) -> Iterator[Mention]:
        """Yield the first place of each page that is named, longest names first at each place."""
        text = _blanked(content)
        seen: set[UUID] = set()
        taken: list[tuple[int, int]] = []
        for mention in (*self._worded(text), *self._unworded(text)):
            inside = any(start < mention.end and mention.start < end for start, end in taken)
            if not inside:
                taken.append((mention.start, mention.end))
                if mention.page_id not in seen:
                    seen.add(mention.page_id)
                    yield mention

    def _worded(self, text: str) -> Iterator[Mention]:
        end = 0
        for word in _WORD.finditer(text):
            if word.start() < end:
                continue
            for name in self._by_word.get(word.group(), ()):
                stop = word.start() + len(name)
                if text.startswith(name, word.start()) and not _goes_on(text, stop):
                    yield Mention(page_id=self._owner[name], start=word.start(), end=stop)
                    end = stop
                    break

    def _unworded(self, text: str) -> Iterator[Mention]:
        for name in self._spaceless:
            at = text.find(name)
            if at >= 0:
                yield Mention(page_id=self._owner[name], start=at, end=at + len(name))


def _blanked(content: str) -> str:
    """Return the text in one case and of the same length, with spaces for all but its words."""
    # Characters whose lower case is longer would move all places behind them.
    text = [low if len(low := each.lower()) == 1 else each for each in content]
    spans = [(link.start, link.end) for link in find_links(content)]
    spans += [found.span() for found in _NO_TEXT.finditer(content)]
    for start, end in spans:
        text[start:end] = " " * (end - start)
    return "".join(text)


def _plain(name: str) -> str:
    return " ".join(name.lower().split())


def _is_long_enough(name: str) -> bool:
    return len(name) >= (SHORTEST // 2 if _SPACELESS.search(name) else SHORTEST)


def _goes_on(text: str, at: int) -> bool:
    return at < len(text) and (text[at].isalnum() or text[at] == "_")
