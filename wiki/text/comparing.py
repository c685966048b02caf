"""What changed from one text of a page to another: rows for reading, and lists of all else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from core.textdiff import InlineRow, Piece, Row, diff_lines, diff_words, inline_rows
from wiki.text.links import slugs_in
from wiki.values import PageText

CONTEXT_LINES = 3
_HEADING: Final = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$")
_PICTURE: Final = re.compile(
    r"!\[[^\]\n]*\]\(\s*<?([^\s)>]+)|<img\b[^>]*?\bsrc\s*=\s*[\"']([^\"']+)"
)
_ADDRESS: Final = re.compile(
    r"(?<!!)\[[^\]\n]*\]\(\s*<?([^\s)>]+)|(?<![\w(<])<?(https?://[^\s<>)\]]+)"
)


@dataclass(frozen=True, kw_only=True)
class Words:
    """A line of text before and after, with the changed words marked."""

    old: tuple[Piece, ...]
    new: tuple[Piece, ...]


@dataclass(frozen=True, kw_only=True)
class Listed:
    """What a list lost, got and kept, in its order."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether it is another list."""
        return bool(self.added or self.removed)


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What changed between two texts of a page."""

    rows: tuple[Row, ...]
    """The content side by side; of the rows `left_out`, `heading` says where the next ones stand."""
    title: Words | None
    """None: it is the same; likewise the next ones."""
    summary: Words | None
    kind: tuple[str, str] | None
    """Before and after, values of `PageKind`."""
    status: tuple[str, str] | None
    slug: tuple[str, str] | None
    aliases: Listed
    links: Listed
    """Addresses of pages."""
    addresses: Listed
    """URLs of the web."""
    pictures: Listed
    """Addresses of pictures."""
    lines_added: int
    lines_removed: int
    is_same_content: bool
    """Byte for byte."""
    only_blanks: bool
    """The content differs in white space and ends of lines alone."""

    @property
    def inline(self) -> tuple[InlineRow, ...]:
        """The content one line below the other."""
        return inline_rows(self.rows)

    @property
    def is_same(self) -> bool:
        """Whether nothing changed at all."""
        return self.is_same_content and not any(
            (
                *(self.title, self.summary, self.kind, self.status, self.slug),
                self.aliases.is_changed,
            )
        )


def compare_texts(
    old: PageText,
    new: PageText,
    *,
    context: int | None = CONTEXT_LINES,
    ignore_blanks: bool = False,
) -> Comparison:
    """Return what changed; `context` is how many equal lines stand around a change, None: all."""
    rows = diff_lines(old.content, new.content, context=context, ignore_blanks=ignore_blanks)
    return Comparison(
        rows=_with_headings(rows, new.content),
        title=_words(old.title, new.title),
        summary=_words(old.summary, new.summary),
        kind=_pair(old.kind, new.kind),
        status=_pair(old.status, new.status),
        slug=_pair(old.slug, new.slug),
        aliases=_listed(old.aliases, new.aliases),
        links=_listed(slugs_in(old.content), slugs_in(new.content)),
        addresses=_listed(_found(_ADDRESS, old.content), _found(_ADDRESS, new.content)),
        pictures=_listed(_found(_PICTURE, old.content), _found(_PICTURE, new.content)),
        lines_added=sum(row.kind in ("added", "changed") for row in rows),
        lines_removed=sum(row.kind in ("removed", "changed") for row in rows),
        is_same_content=old.content == new.content,
        only_blanks=old.content != new.content and old.content.split() == new.content.split(),
    )


def _with_headings(rows: Sequence[Row], content: str) -> tuple[Row, ...]:
    """Say at each fold under which heading of the new text the rows after it stand."""
    headings: list[tuple[int, str]] = [
        (number, found[1])
        for number, line in enumerate(content.splitlines(), start=1)
        if (found := _HEADING.match(line))
    ]
    told: list[Row] = []
    for index, row in enumerate(rows):
        if row.kind != "left_out" or index + 1 == len(rows):
            told.append(row)
            continue
        following = next((each.new for each in rows[index + 1 :] if each.new), None)
        last = following.number if following else len(content)
        above = [text for number, text in headings if number < last]
        told.append(replace(row, heading=above[-1] if above else ""))
    return tuple(told)


def _words(old: str, new: str) -> Words | None:
    if old == new:
        return None
    before, after = diff_words(old, new)
    return Words(old=before, new=after)


def _pair(old: str, new: str) -> tuple[str, str] | None:
    return None if old == new else (old, new)


def _listed(old: Iterable[str], new: Iterable[str]) -> Listed:
    before, after = dict.fromkeys(old), dict.fromkeys(new)
    return Listed(
        added=tuple(each for each in after if each not in before),
        removed=tuple(each for each in before if each not in after),
    )


def _found(pattern: re.Pattern[str], content: str) -> list[str]:
    return [match[1] or match[2] for match in pattern.finditer(content)]
