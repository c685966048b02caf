"""CSV and TSV: encoding first, then a vote on delimiter and quotes, then one Markdown table."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from knowledge.parsers.contract import Block, ParsedDocument, Parser
from knowledge.parsers.encodings import decode_text
from knowledge.parsers.markdown_writer import drop_empty_edges, table
from knowledge.parsers.plain_text import decoding_warnings

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 200
_SAMPLE_CHARACTERS = 100_000
_MAX_ROWS = 200_000
_MAX_COLUMNS = 2_000
_SEPARATOR_LINE = re.compile(r"sep=(.)\n", re.I)
# The csv module refuses longer cells; the process limits guard the memory.
csv.field_size_limit(64_000_000)


@dataclass(frozen=True)
class Dialect:
    """How cells are divided and quoted."""

    delimiter: str
    quote: str | None = '"'


def parse_csv(content: bytes, _name: str) -> ParsedDocument:
    """Return one table; the first row is its header."""
    decoded = decode_text(content)
    rows, cut = read_rows(decoded.text)
    markdown = table(drop_empty_edges(rows))
    warnings = list(decoding_warnings(decoded))
    if cut:
        warnings.append(
            f"Only the first {_MAX_ROWS:,} rows and {_MAX_COLUMNS:,} columns became text."
        )
    return ParsedDocument(
        blocks=(Block(markdown=markdown),) if markdown else (),
        warnings=tuple(warnings),
        metadata={"encoding": decoded.encoding, "rows": str(len(rows))},
    )


def read_rows(text: str) -> tuple[list[list[str]], bool]:
    """Return the rows of a CSV text and whether some were left out."""
    named = _SEPARATOR_LINE.match(text)
    body = text[named.end() :] if named else text
    dialect = Dialect(named.group(1)) if named else sniff_dialect(body)
    rows: list[list[str]] = []
    for row in _reader(io.StringIO(body, newline=""), dialect):
        if len(rows) == _MAX_ROWS:
            return rows, True
        rows.append(row[:_MAX_COLUMNS])
    return rows, any(len(row) == _MAX_COLUMNS for row in rows)


def sniff_dialect(text: str) -> Dialect:
    """Choose the delimiter that cuts most lines into the same number (> 1) of cells.

    A quote that never closes would swallow the file, so such a text is read without quotes.
    """
    quote = '"' if _quotes_are_closed(text) else None
    sample = text[:_SAMPLE_CHARACTERS]
    if len(sample) < len(text):
        sample = sample[: sample.rfind("\n") + 1] or sample
    scored = [(_score(sample, Dialect(mark, quote)), mark) for mark in _DELIMITERS]
    best_score, best = max(scored, key=lambda pair: pair[0])
    return Dialect(best if best_score > (0.0, 0) else ",", quote)


def _score(sample: str, dialect: Dialect) -> tuple[float, int]:
    """Return (share of rows with the commonest width, that width); zeros when nothing is cut."""
    widths: Counter[int] = Counter()
    for number, row in enumerate(_reader(io.StringIO(sample, newline=""), dialect)):
        if number == _SAMPLE_LINES:
            break
        if row:
            widths[len(row)] += 1
    several = {width: count for width, count in widths.items() if width > 1}
    if not several:
        return (0.0, 0)
    width, count = max(several.items(), key=lambda pair: (pair[1], pair[0]))
    return (round(count / widths.total(), 2), width)


def _quotes_are_closed(text: str) -> bool:
    return text.count('"') % 2 == 0


def _reader(lines: Iterable[str], dialect: Dialect) -> Iterable[list[str]]:
    if dialect.quote is None:
        return csv.reader(lines, delimiter=dialect.delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(
        lines, delimiter=dialect.delimiter, quotechar=dialect.quote, skipinitialspace=True
    )


PARSER = Parser(
    name="csv", version="1", file_types=frozenset({"csv"}), parse=parse_csv, label="As one table"
)
