"""Cuts an answer into sentences that keep their place in the text; tables are cut row by row.

Code, headings, the head of a table and questions make no claim and are left out. A marker such as
[1] belongs to the sentence it stands in or right behind; a sentence without one has those of the
next marked sentence of its paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["sentence", "row"]

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3"
_CLOSERS = r"[」』”’）)\]\"'*_》]*"
_ONE_MARKER = r"\[(\d{1,3})\](?![(:]|\[(?!\d{1,3}\]))"
_MARKERS = rf"(?:[ \u2060]?{_ONE_MARKER.replace('(', '(?:', 1)})*"
_END = re.compile(
    rf"[。！？；…]+{_CLOSERS}{_MARKERS}"
    rf"|[.!?]+(?!\[\d)[\"”’)\]*_]*{_MARKERS}(?=\s+[\"“‘'(\[*_]*[A-Z0-9\u00c0-\u00de\u0400-\u042f{_CJK}]|\s*$)"
    rf"|[.!?](?:\[\d{{1,3}}\](?![(:]))+(?=\s|$)"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|[A-Z]\.[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Gen|Gov|vs|etc|No|Fig|Sec|Inc|Ltd|Co|Corp"
    r"|e\.g|i\.e|cf|al|ca|approx|p|pp|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.$"
)
_LIST_ITEM = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,3}[.)])\s+")
_FENCE = re.compile(r"^\s*(```+|~~~+)")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s|^\s*(?:[-*_]\s*){3,}$|^\s*(?:=+|-+)\s*$")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE_ROW = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_QUOTE = re.compile(r"^\s*(?:>\s?)+")
_MARKER = re.compile(_ONE_MARKER)
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\]\([^()]{0,2000}\)")
_LINK = re.compile(r"\[([^\[\]]{0,500})\]\([^()]{0,2000}\)")
_DECORATION = re.compile(r"\*\*|__|~~|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|[\u2060\u200b]")
_SPACE_BEFORE_END = re.compile(r" +(?=[.,;!?。，；！？](?:\s|$))")
_LEAD = re.compile(r"[:：]\s*$")
_QUESTION = re.compile(r"[?？][\"”’」』）)*_]*$")
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence or row: characters `start` to `end` of the answer."""

    index: int
    start: int
    end: int
    text: str
    """As people read it: without markers and Markdown."""
    markers: tuple[int, ...]
    """Numbers of the sources it names; those of its paragraph when it names none itself."""
    kind: Kind = "sentence"


@dataclass(frozen=True, kw_only=True)
class _Block:
    """Neighbouring lines that are read as one: characters `start` to `end`."""

    start: int
    end: int
    kind: Kind = "sentence"


def split_answer(text: str) -> list[Sentence]:
    """Return the sentences of a Markdown text that may claim something, in their order."""
    found: list[Sentence] = []
    for block in _blocks(text):
        drafts = list(_drafts(text, block))
        for draft, markers in zip(drafts, _markers_of(drafts), strict=True):
            if not _claims(draft.shown):
                continue
            found.append(
                Sentence(
                    index=len(found),
                    start=draft.start,
                    end=draft.end,
                    text=draft.shown,
                    markers=markers,
                    kind=block.kind,
                )
            )
    return found


def plain(text: str) -> str:
    """Return Markdown as people read it, in one line and without markers."""
    shown = _LINK.sub(r"\1", _IMAGE.sub(" ", _MARKER.sub("", text)))
    shown = _SPACE_BEFORE_END.sub("", _DECORATION.sub("", shown))
    if _ROW.match(text):
        cells = [cell.strip() for cell in shown.strip().strip("|").split("|")]
        shown = " · ".join(cell for cell in cells if cell)
    return " ".join(_QUOTE.sub("", line) for line in shown.split("\n")).strip()


class _Draft(NamedTuple):
    start: int
    end: int
    shown: str
    own: tuple[int, ...]
    """Markers that it has itself."""


def _drafts(text: str, block: _Block) -> Iterator[_Draft]:
    spans: Iterable[tuple[int, int]] = [(block.start, block.end)]
    if block.kind == "sentence":
        spans = _cut(text, block.start, block.end)
    for start, end in spans:
        piece = text[start:end]
        shown = plain(piece)
        if _LETTER.search(shown):
            own = tuple(dict.fromkeys(map(int, _MARKER.findall(piece))))
            yield _Draft(start, end, shown, own)


def _claims(shown: str) -> bool:
    return not (_LEAD.search(shown) or _QUESTION.search(shown))


def _markers_of(drafts: Sequence[_Draft]) -> list[tuple[int, ...]]:
    """Give sentences without a marker those of the next marked one, else of the one before."""
    given: list[tuple[int, ...]] = []
    following: tuple[int, ...] = ()
    for each in reversed(drafts):
        following = each.own or following
        given.append(following)
    given.reverse()
    last: tuple[int, ...] = ()
    for place, markers in enumerate(given):
        last = given[place] = markers or last
    return given


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where the sentences of running text begin and end, without outer space."""
    begin = start
    for match in _END.finditer(text, start, end):
        before = text[begin : match.end()].rstrip('*_"”’)')
        if _ABBREVIATION.search(before) and match.end() < end:
            continue
        yield from _trimmed(text, begin, match.end())
        begin = match.end()
    yield from _trimmed(text, begin, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if right > left:
        yield start + left, start + right


def _blocks(text: str) -> Iterator[_Block]:
    """Yield paragraphs, list items and rows of tables; code and headings are passed over."""
    lines = list(_lines(text))
    fence = ""
    begun: tuple[int, int] | None = None
    for number, (start, end) in enumerate(lines):
        line = text[start:end]
        opening = _FENCE.match(line)
        if fence or opening:
            if begun:
                yield _Block(start=begun[0], end=begun[1])
            begun = None
            fence = _next_fence(fence, line)
            continue
        is_item, is_row = _LIST_ITEM.match(line), _ROW.match(line)
        breaks = not line.strip() or _HEADING.match(line) or is_row or is_item
        if breaks and begun:
            yield _Block(start=begun[0], end=begun[1])
            begun = None
        if not line.strip() or _HEADING.match(line):
            continue
        if is_row:
            following = text[slice(*lines[number + 1])] if number + 1 < len(lines) else ""
            if not _RULE_ROW.match(line) and not _RULE_ROW.match(following):
                yield _Block(start=start, end=end, kind="row")
            continue
        prefix = is_item or _QUOTE.match(line)
        first = start + (prefix.end() if prefix else 0)
        begun = (begun[0] if begun else first, end)
    if begun:
        yield _Block(start=begun[0], end=begun[1])


def _next_fence(fence: str, line: str) -> str:
    """Return the fence that is open behind the line."""
    opening = _FENCE.match(line)
    if not fence:
        return opening.group(1) if opening else ""
    return "" if line.strip().startswith(fence) and not line.strip().strip(fence[0]) else fence


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for line in text.splitlines(keepends=True):
        yield start, start + len(line.rstrip("\r\n"))
        start += len(line)
