"""Markdown that every parser writes: tables, headings, fences, in one dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_CELL_BREAK = re.compile(r"[ \t]*\n\s*")
_MAX_HEADING_LEVEL = 6


def heading(text: str, level: int) -> str:
    """Return one heading line; an empty text gives an empty string."""
    text = " ".join(text.split())
    return f"{'#' * min(max(level, 1), _MAX_HEADING_LEVEL)} {text}" if text else ""


def table_cell(text: str) -> str:
    """Escape what would end a cell; line breaks become `<br>`."""
    text = text.strip()
    if "|" in text:
        text = text.replace("\\|", "|").replace("|", "\\|")
    return _CELL_BREAK.sub("<br>", text) if "\n" in text else text


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; the first row is its header, short rows are filled up."""
    width = max((len(row) for row in rows), default=0)
    if width == 0:
        return ""
    lines = [_table_line(row, width) for row in rows]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


def _table_line(row: Sequence[str], width: int) -> str:
    cells = [table_cell(cell) for cell in row] + [""] * (width - len(row))
    return "| " + " | ".join(cells) + " |"


def fence(text: str, language: str = "") -> str:
    """Return a fenced code block whose fence is longer than any fence inside."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}{language}\n{text.rstrip()}\n{marks}"


def drop_empty_edges(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return the rows without empty ones and without columns that are empty everywhere."""
    kept = [list(row) for row in rows if any(cell.strip() for cell in row)]
    width = max((len(row) for row in kept), default=0)
    used = [
        column
        for column in range(width)
        if any(column < len(row) and row[column].strip() for row in kept)
    ]
    return [[row[column] if column < len(row) else "" for column in used] for row in kept]
