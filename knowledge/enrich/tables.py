"""What the tables of CSV and Excel files are about, and what their columns hold."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_noop
from pydantic import BaseModel, Field

from knowledge.base_settings import BaseSettings
from knowledge.constants import ChunkKind, StageName
from knowledge.enrich.asking import Wish, ask_value
from knowledge.enrich.jobs import DESCRIBE_TABLES
from knowledge.enrich.made import Made, embed_made, passages_of, replace_made
from knowledge.enrich.registry import Enriching, Enrichment
from knowledge.ingest.read import kept_text
from knowledge.models import Chunk, Document
from knowledge.parsers.contract import ParsedDocument
from knowledge.prompts import knowledge_prompt
from knowledge.text.passages import title_of

TABLE_TYPES = frozenset({"csv", "tsv", "xlsx", "xlsb", "xls", "ods"})
MOST_TABLES = 10
SAMPLE_ROWS = 8
MOST_COLUMNS = 60
_CHARACTERS_A_CELL = 120
_BORDER = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, kw_only=True)
class Table:
    """One table of a document."""

    name: str
    columns: tuple[str, ...]
    sample: tuple[tuple[str, ...], ...]
    row_count: int
    char_start: int
    """Where it begins in the document's text."""


class _Column(BaseModel):
    number: int
    description: str = ""


class _Answer(BaseModel):
    summary: str
    columns: list[_Column] = Field(default_factory=list)


def describe_tables(enriching: Enriching) -> None:
    """Write what each table is about and what its columns hold, found as the table's first passage."""
    document, report = enriching.document, enriching.report
    parsed = kept_text(document)
    passages = passages_of(document)
    if parsed is None or not passages:
        report.skipped(gettext_noop("Its text is not kept here any more; read the document again."))
        return
    tables = list(find_tables(parsed, name=title_of(document.name)))[:MOST_TABLES]
    summaries: list[Made] = []
    columns: list[Made] = []
    for number, table in enumerate(tables):
        report.progress(number, len(tables))
        parent = _passage_at(passages, table.char_start)
        answer = _ask(enriching, table)
        made_from = hashlib.sha256(_material(table).encode()).hexdigest()
        heading = f"{table.name}: {answer.summary} ({table.row_count} rows)"
        summaries.append(Made(parent=parent, text=heading, source_hash=made_from))
        columns += [
            Made(parent=parent, text=text, source_hash=made_from)
            for text in _described(table, answer)
        ]
    replace_made(enriching, kind=ChunkKind.TABLE_SUMMARY, made=summaries, of=None)
    replace_made(enriching, kind=ChunkKind.TABLE_COLUMN, made=columns, of=None)
    embed_made(enriching)
    report.progress(len(tables), len(tables))
    report.note(tables=len(summaries), columns=len(columns))


def find_tables(parsed: ParsedDocument, *, name: str) -> Iterator[Table]:
    """Yield the tables among a document's blocks, each named by the heading above it."""
    start, heading = 0, name
    for block in parsed.blocks:
        if block.hidden:
            continue
        text = block.markdown
        if text.startswith("#"):
            heading = text.lstrip("#").strip() or heading
        lines = text.splitlines()
        if len(lines) > 2 and text.startswith("|") and set(lines[1]) <= set("|-: "):
            yield Table(
                name=heading,
                columns=_cells(lines[0])[:MOST_COLUMNS],
                sample=tuple(_cells(line)[:MOST_COLUMNS] for line in lines[2 : 2 + SAMPLE_ROWS]),
                row_count=len(lines) - 2,
                char_start=start,
            )
        start += len(text) + len("\n\n")


def _ask(enriching: Enriching, table: Table) -> _Answer:
    wish = Wish(
        instructions=knowledge_prompt("table").render(),
        material=_material(table),
        purpose="tables",
        max_tokens=300 + 40 * len(table.columns),
    )
    return ask_value(enriching, wish, _Answer)


def _material(table: Table) -> str:
    columns = "\n".join(f"{number}. {name}" for number, name in enumerate(table.columns, 1))
    rows = "\n".join(" | ".join(row) for row in table.sample)
    return (
        f"Table: {table.name}\nRows: {table.row_count}\nColumns:\n{columns}\n\nFirst rows:\n{rows}"
    )


def _described(table: Table, answer: _Answer) -> Iterator[str]:
    for column in answer.columns:
        if 1 <= column.number <= len(table.columns) and column.description.strip():
            yield f"{table.name}, {table.columns[column.number - 1]}: {column.description.strip()}"


def _passage_at(passages: Sequence[Chunk], place: int) -> Chunk:
    starts = [passage.char_start for passage in passages]
    return passages[max(0, bisect_right(starts, place) - 1)]


def _cells(line: str) -> tuple[str, ...]:
    return tuple(
        cell.strip()[:_CHARACTERS_A_CELL] for cell in _BORDER.split(line.strip().strip("|"))
    )


def _wanted(document: Document, settings: BaseSettings) -> bool:
    return settings.enrichment.tables and document.file_type in TABLE_TYPES


ENRICHMENT = Enrichment(
    stage=StageName.TABLES, job=DESCRIBE_TABLES, wanted=_wanted, run=describe_tables
)
