"""Sentences of a page's Markdown: where each one stands, and a name for it that links do not change.

A list item and a row of a table are one sentence each; headings, code, rules and the head of a table
are none. The end of a sentence is looked for in paragraphs only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from wiki.values import hash_of

_FENCE: Final = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]|$)")
_UNDERLINE: Final = re.compile(r"[ ]{0,3}(?:=+|-+)[ \t]*$")
_RULE: Final = re.compile(r"[ ]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_QUOTE: Final = re.compile(r"[ ]{0,3}>[ ]?")
_ROW: Final = re.compile(r"[ \t]*\|")
_DELIMITER: Final = re.compile(
    r"[ \t]*\|?[ \t]*:?-{1,}:?[ \t]*(?:\|[ \t]*:?-{1,}:?[ \t]*)*\|?[ \t]*$"
)
_INDENTED_CODE: Final = re.compile(r"(?: {4}|\t)")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)

_WHOLE: Final = re.compile(
    r"\[\[[^\[\]\n]*\]\]|!?\[[^\[\]\n]*\]\([^()\n]*\)|`[^`\n]*`|https?://\S+"
)
"""What no sentence ends inside of."""
_END: Final = re.compile(
    r"[。！？][\"'”’」』）)\]*_]*|[.!?…]+[\"'”’」』）)\]*_]*(?=\s|$)|…(?=[^\s…])"
)
_SHORT: Final = re.compile(
    r"(?:\b(?:[A-Z]|Dr|Mr|Mrs|Ms|Prof|St|vs|etc|cf|ca|approx|No|Nr|Fig|Vol|pp?|Art|Inc|Ltd|Co|"
    r"Jr|Sr|e\.g|i\.e|z\.B|d\.h|bzw|usw|a\.m|p\.m|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
    r"|^\d{1,3})\.$"
)

_LINK: Final = re.compile(r"\[\[[^\[\]|\n]*(?:\|([^\[\]\n]*))?\]\]")
_INLINE_LINK: Final = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_MARKS: Final = re.compile(r"[*_`~\\]+")
_NAMELESS: Final = "\N{LINK SYMBOL}"


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence as the text has it: `content[start:end]`."""

    start: int
    end: int
    text: str
    hash: str
    """`sentence_hash` of the text."""


def split_sentences(content: str) -> list[Sentence]:
    """Return the sentences of a page's Markdown in their order."""
    return [
        Sentence(
            start=start, end=end, text=content[start:end], hash=sentence_hash(content[start:end])
        )
        for begin, stop, whole in _blocks(content)
        for start, end in _cut(content, begin, stop, whole)
        if normal_sentence(content[start:end])
    ]


def sentence_hash(text: str) -> str:
    """Return the name of a sentence: links, emphasis and white space make no difference to it."""
    return hash_of(normal_sentence(text))


def normal_sentence(text: str) -> str:
    """Return what is compared of a sentence; blank when it has no words. Pictures have none."""
    shown = _LINK.sub(lambda link: (link[1] or "").strip() or _NAMELESS, text)
    shown = _INLINE_LINK.sub(lambda link: "" if link[0].startswith("!") else link[1], shown)
    shown = "".join(_MARKS.sub("", unicodedata.normalize("NFC", shown)).replace(">", "").split())
    return shown if re.search(r"\w", shown) or _NAMELESS in shown else ""


def plain_sentence(text: str) -> str:
    """Return a sentence as words on one line, without markup."""
    shown = _INLINE_LINK.sub(r"\1", _LINK.sub(lambda link: (link[1] or "").strip(), text))
    return " ".join(_MARKS.sub("", shown).split())


@dataclass(kw_only=True)
class _Line:
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def _lines(content: str) -> list[_Line]:
    blanked = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), content)
    found: list[_Line] = []
    at = 0
    for text in blanked.split("\n"):
        found.append(_Line(start=at, text=text.rstrip("\r")))
        at += len(text) + 1
    return found


def _blocks(content: str) -> Iterator[tuple[int, int, bool]]:
    """Yield stretches of text and whether each is one sentence whatever stands in it."""
    lines = _lines(content)
    at = 0
    while at < len(lines):
        line = lines[at]
        fence = _FENCE.match(line.text)
        if fence:
            at = _after_fence(lines, at, fence[1])
        elif not line.text.strip() or _HEADING.match(line.text) or _RULE.match(line.text):
            at += 1
        elif _ROW.match(line.text) or _begins_table(lines, at):
            last = at
            while last < len(lines) and "|" in lines[last].text:
                last += 1
            yield from _rows(lines[at:last])
            at = last
        elif item := _ITEM.match(line.text):
            last = _end_of_item(lines, at)
            yield line.start + item.end(), lines[last].end, True
            at = last + 1
        elif _INDENTED_CODE.match(line.text) and (at == 0 or not lines[at - 1].text.strip()):
            at += 1
            while at < len(lines) and _INDENTED_CODE.match(lines[at].text):
                at += 1
        else:
            last = _end_of_paragraph(lines, at)
            if not (last + 1 < len(lines) and _UNDERLINE.match(lines[last + 1].text)):
                quote = _QUOTE.match(line.text)
                yield line.start + (quote.end() if quote else 0), lines[last].end, False
                at = last + 1
            else:
                at = last + 2


def _after_fence(lines: list[_Line], at: int, mark: str) -> int:
    closing = re.compile(rf"[ ]{{0,3}}{re.escape(mark)}[`~]*[ \t]*$")
    for number in range(at + 1, len(lines)):
        if closing.match(lines[number].text):
            return number + 1
    return len(lines)


def _begins_table(lines: list[_Line], at: int) -> bool:
    below = lines[at + 1].text if at + 1 < len(lines) else ""
    return "|" in lines[at].text and "|" in below and bool(_DELIMITER.match(below))


def _rows(rows: list[_Line]) -> Iterator[tuple[int, int, bool]]:
    heads = {0, 1} if len(rows) > 1 and _DELIMITER.match(rows[1].text) else set()
    for number, row in enumerate(rows):
        if number not in heads and not _DELIMITER.match(row.text):
            yield row.start, row.end, True


def _ends_block(text: str) -> bool:
    return (
        not text.strip()
        or bool(_HEADING.match(text))
        or bool(_FENCE.match(text))
        or bool(_RULE.match(text))
        or bool(_ITEM.match(text))
        or bool(_ROW.match(text))
    )


def _end_of_item(lines: list[_Line], at: int) -> int:
    last = at
    while last + 1 < len(lines) and not _ends_block(lines[last + 1].text):
        last += 1
    return last


def _end_of_paragraph(lines: list[_Line], at: int) -> int:
    last = at
    while last + 1 < len(lines):
        text = lines[last + 1].text
        if _ends_block(text) or _UNDERLINE.match(text) or _begins_table(lines, last + 1):
            break
        last += 1
    return last


def _cut(content: str, begin: int, stop: int, whole: bool) -> Iterator[tuple[int, int]]:
    if whole:
        yield from _trimmed(content, begin, stop)
        return
    kept = [found.span() for found in _WHOLE.finditer(content, begin, stop)]
    at = begin
    for found in _END.finditer(content, begin, stop):
        if any(start < found.end() - 1 and found.start() < end - 1 for start, end in kept):
            continue
        if _SHORT.search(content[max(at, found.start() - 12) : found.start() + 1]):
            continue
        yield from _trimmed(content, at, found.end())
        at = found.end()
    yield from _trimmed(content, at, stop)


def _trimmed(content: str, begin: int, stop: int) -> Iterator[tuple[int, int]]:
    while begin < stop and (content[begin].isspace() or content[begin] == ">"):
        begin += 1
    while stop > begin and content[stop - 1].isspace():
        stop -= 1
    if begin < stop:
        yield begin, stop
