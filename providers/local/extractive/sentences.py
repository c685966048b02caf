"""Cuts a passage into what can be quoted by itself: sentences, list items, table rows, code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["sentence", "row", "code"]

MAXIMUM_CHARACTERS = 600
_CJK = r"\u3040-\u30ff\u3400-\u9fff"
_END = re.compile(
    r"(?<=[。！？；])[」』”’）]*"  # CJK marks end a sentence wherever they stand
    r"|(?<=[.!?])[\"”’)\]]*\s+(?=[\"“(\[]?[A-Z0-9\u00c0-\u00de" + _CJK + r"\uac00-\ud7a3])"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|No|Fig|Sec|Inc|Ltd|Co|U\.S|e\.g|i\.e|cf|al|ca|c|p|pp)\.$"
)
_HEADING = re.compile(r"^#{1,6}\s")
_BROKEN_HEADING = re.compile(r"^#{1,6}\s.{40,}[^.!?:。！？：\s]\s*$")
_NUMBERING = re.compile(r"^(?:[\dIVX]+[.)]?)+\s")
_LONG_HEADING = 60
_LIST_ITEM = re.compile(r"^\s*(?:[-*+•·]|\(?\d{1,3}[.)])\s+")
_FENCE = re.compile(r"^\s*(```|~~~)")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE_ROW = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_LABELLED = re.compile(r"^[^.!?。]{1,48}[:：]\s*\S.{0,120}$")
_SHORTEST = 15


@dataclass(frozen=True, kw_only=True)
class Quotable:
    """A piece of a passage that says something by itself."""

    text: str
    kind: Kind = "sentence"


def quotables(markdown: str) -> list[Quotable]:
    """Return the pieces of a passage in its order."""
    found: list[Quotable] = []
    blocks = _mended(list(_blocks(markdown.splitlines())))
    for position, block in enumerate(blocks):
        if _FENCE.match(block[0]):
            found.extend(_code(block))
        elif _ROW.match(block[0]):
            found.extend(_rows(block))
        elif _HEADING.match(block[0]):
            found.extend(_heading(block[0]))
        else:
            sentences = _prose(block)
            if sentences and sentences[-1].endswith((":", "：")):
                sentences[-1] = _with_items(sentences[-1], blocks[position + 1 :])
            found.extend(Quotable(text=text) for text in sentences)
    return found


def _mended(blocks: list[list[str]]) -> list[list[str]]:
    """Join a heading that breaks off in mid-sentence with its rest: PDFs have bold first lines."""
    mended: list[list[str]] = []
    for block in blocks:
        before = mended[-1][0] if mended else ""
        if _BROKEN_HEADING.match(before) and block[0][:1].islower():
            mended[-1] = [_HEADING.sub("", before), *block]
        else:
            mended.append(block)
    return mended


def _heading(line: str) -> list[Quotable]:
    """Return a heading that says something by itself: a figure ("Total 5,738") or a sentence."""
    text = _HEADING.sub("", line).strip().rstrip("#").strip()
    bare = _NUMBERING.sub("", text)
    says_something = any(c.isdigit() for c in bare) or len(bare) > _LONG_HEADING
    return [Quotable(text=text[:MAXIMUM_CHARACTERS])] if says_something else []


def _with_items(lead: str, following: list[list[str]]) -> str:
    """Return "There are: a; b; c" for a lead that a list follows; without the list it says nothing."""
    for block in following:
        if not _LIST_ITEM.match(block[0]):
            break
        item = " ".join(_prose(block)).rstrip(";；")
        if len(lead) + len(item) > MAXIMUM_CHARACTERS:
            return f"{lead} …"
        lead = f"{lead} {item}" if lead.endswith((":", "：")) else f"{lead}; {item}"
    return lead


def split_sentences(text: str) -> list[str]:
    """Cut running text into sentences; abbreviations and initials end none."""
    sentences: list[str] = []
    start = 0
    for match in _END.finditer(text):
        piece = text[start : match.end()].strip()
        joinable = sentences and (
            _ABBREVIATION.search(sentences[-1]) or _is_fragment(sentences[-1])
        )
        if joinable:
            sentences[-1] = f"{sentences[-1]} {piece}"
        elif piece:
            sentences.append(piece)
        start = match.end()
    rest = text[start:].strip()
    if rest and sentences and (_ABBREVIATION.search(sentences[-1]) or _is_fragment(sentences[-1])):
        sentences[-1] = f"{sentences[-1]} {rest}"
    elif rest:
        sentences.append(rest)
    return [part for sentence in sentences for part in _at_most(sentence)]


def _is_fragment(sentence: str) -> bool:
    return len(sentence) < _SHORTEST and not re.search(f"[{_CJK}\uac00-\ud7a3]", sentence)


def _at_most(sentence: str) -> Iterator[str]:
    """Cut an endless sentence at its clauses, so that a quote stays readable."""
    while len(sentence) > MAXIMUM_CHARACTERS:
        cut = max(
            sentence.rfind(mark, 0, MAXIMUM_CHARACTERS) for mark in ("; ", ", ", "，", "、", " ")
        )
        if cut < MAXIMUM_CHARACTERS // 3:
            cut = MAXIMUM_CHARACTERS - 1
        yield sentence[: cut + 1].strip()
        sentence = sentence[cut + 1 :].strip()
    if sentence:
        yield sentence


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Group lines that belong together: a fence, a table, a paragraph, a list item, a heading."""
    block: list[str] = []
    fenced = False
    for line in lines:
        if fenced:
            block.append(line)
            if _FENCE.match(line):
                fenced = False
                yield block
                block = []
        elif not line.strip():
            if block:
                yield block
            block = []
        else:
            if block and _begins_block(line, block):
                yield block
                block = []
            fenced = bool(_FENCE.match(line))
            block.append(line)
    if block:
        yield block


def _begins_block(line: str, block: list[str]) -> bool:
    before = block[0]
    if _HEADING.match(before) or _HEADING.match(line) or _FENCE.match(line):
        return True
    if bool(_ROW.match(line)) != bool(_ROW.match(before)):
        return True
    labelled = _LABELLED.match(line) or _LABELLED.match(block[-1])
    return bool(_LIST_ITEM.match(line) or (labelled and not _ROW.match(line)))


def _prose(block: list[str]) -> list[str]:
    lines = [_LIST_ITEM.sub("", block[0], count=1), *block[1:]]
    joined = "\n".join(line.strip().lstrip("> ") for line in lines)
    joined = re.sub(f"(?<=[{_CJK}，。；、）])\n(?=[{_CJK}（《])", "", joined)
    return split_sentences(joined.replace("\n", " "))


def _rows(block: list[str]) -> Iterator[Quotable]:
    """Give each row its header's names: "Code: 21 · Error: unknown reader"."""
    rows = [_cells(line) for line in block if not _RULE_ROW.match(line)]
    has_header = len(block) > 1 and bool(_RULE_ROW.match(block[1]))
    if not has_header or len(rows) == 1:
        for row in rows:
            yield Quotable(text=" · ".join(cell for cell in row if cell), kind="row")
        return
    header, *body = rows
    for row in body:
        pairs = zip([*header, *[""] * len(row)], row, strict=False)
        named = [f"{name}: {cell}" if name else cell for name, cell in pairs if cell]
        if named:
            yield Quotable(text=" · ".join(named)[:MAXIMUM_CHARACTERS], kind="row")


def _cells(line: str) -> list[str]:
    inner = line.strip().strip("|")
    cells = re.split(r"(?<!\\)\|", inner)
    return [re.sub(r"\s+", " ", cell.replace("\\|", "|")).strip() for cell in cells]


def _code(block: list[str]) -> Iterator[Quotable]:
    inner = [line for line in block if not _FENCE.match(line)]
    text = "\n".join(inner).strip("\n")[:MAXIMUM_CHARACTERS]
    if text.strip():
        yield Quotable(text=text, kind="code")
