"""The places of a passage that a sentence can be held against: its sentences and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agents.verdicts.sentences import plain, split_answer

_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE_ROW = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_YEAR = re.compile(r"^(?:[^\d]*\b(?:1[89]|20)\d\d[^\d]*|[^\d]*)$")
"""A cell of a head: a year, or words without figures."""


@dataclass(frozen=True, kw_only=True)
class _Table:
    """Characters `start` to `end` of a passage; the first rows, up to `body`, name its columns."""

    start: int
    body: int
    end: int
    head: str


def windows_of(text: str) -> list[str]:
    """Return the sentences of a passage; a row of a table comes with the head of its table.

    Questions, headings and code of the passage are places like others: an answer may quote them.
    """
    tables = list(_tables(text))
    found, read = [], []
    for each in split_answer(text):
        read.append((each.start, each.end))
        table = next((one for one in tables if one.start <= each.start < one.end), None)
        if table is None:
            found.append(each.text)
        elif each.start >= table.body:
            found.append(f"{table.head} · {each.text}" if table.head else each.text)
    return [*found, *_unread(text, read)] or [plain(text)]


def _tables(text: str) -> Iterator[_Table]:
    rows: list[tuple[int, int]] = []
    start = 0
    for line in [*text.splitlines(keepends=True), "\n"]:
        end = start + len(line)
        if _ROW.match(line.rstrip("\r\n")):
            rows.append((start, end))
        elif rows:
            yield _table(text, rows)
            rows = []
        start = end


def _table(text: str, rows: list[tuple[int, int]]) -> _Table:
    """Return the table of some rows: its head is what stands above the rule, and rows of years."""
    lines = [text[start:end].rstrip("\r\n") for start, end in rows]
    rule = next((n for n, line in enumerate(lines) if _RULE_ROW.match(line)), -1)
    first = rule + 1
    while rule >= 0 and first < len(lines) - 1 and _is_head(lines[first]):
        first += 1
    heads = [plain(line) for line in lines[:first] if not _RULE_ROW.match(line)]
    body = rows[first][0] if first < len(rows) else rows[-1][1]
    head = " · ".join(each for each in heads if each)
    return _Table(start=rows[0][0], body=body, end=rows[-1][1], head=head)


def _is_head(line: str) -> bool:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    years = sum(any(c.isdigit() for c in cell) for cell in cells[1:])
    return years > 0 and all(_YEAR.match(cell) for cell in cells[1:])


def _unread(text: str, read: list[tuple[int, int]]) -> list[str]:
    """Return the lines in which no sentence was read."""
    found, start = [], 0
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        is_read = any(begin < end and start < stop for begin, stop in read)
        if line.strip() and not is_read and not _RULE_ROW.match(line.rstrip()):
            found.append(plain(line.strip().lstrip("#")))
        start = end
    return found
