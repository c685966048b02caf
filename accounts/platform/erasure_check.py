"""Looks for a text in every column of every table, and in stored files: what is left of it?

The proof of an erasure. It reads the database's own catalogue, so that no table can be forgotten,
and every kind of column: text, JSON, arrays, word lists of the search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.core.files.storage import default_storage
from django.db import connection

SHORTEST = 4
"""Characters: less would be found everywhere."""
_READ_BYTES = 1 << 20
_COLUMNS = """
    SELECT columns.table_name, columns.column_name FROM information_schema.columns
    JOIN information_schema.tables USING (table_schema, table_name)
    WHERE columns.table_schema = current_schema() AND tables.table_type = 'BASE TABLE'
      AND columns.data_type IN
        ('text', 'character varying', 'character', 'json', 'jsonb', 'ARRAY', 'tsvector', 'inet')
    ORDER BY columns.table_name, columns.column_name
"""


@dataclass(frozen=True, kw_only=True)
class Remains:
    """A place where the text still stands."""

    place: str
    """`table.column`, or `files`."""
    count: int
    """Rows or files."""


def find_text(text: str, *, with_files: bool = False) -> list[Remains]:
    """Return where the text stands, whatever its case; an empty list means nowhere.

    Files are searched byte by byte: what is packed (docx, zip, pdf) is not unpacked.

    Raises:
        ValueError: the text is too short to mean anything.
    """
    if len(text.strip()) < SHORTEST:
        raise ValueError(f"give at least {SHORTEST} characters")
    found = [Remains(place=place, count=count) for place, count in _in_tables(text)]
    if with_files:
        count = sum(_holds(name, text.encode()) for name in _names(""))
        found += [Remains(place="files", count=count)] if count else []
    return found


def _in_tables(text: str) -> Iterator[tuple[str, int]]:
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS)
        columns = list(cursor.fetchall())
        for table, column in columns:
            cursor.execute(
                f"SELECT count(*) FROM {quote(table)}"  # noqa: S608  names of the catalogue, quoted
                f" WHERE strpos(lower({quote(column)}::text), lower(%s)) > 0",
                [text],
            )
            (count,) = cursor.fetchone() or (0,)
            if count:
                yield f"{table}.{column}", int(count)


def _names(folder: str) -> Iterator[str]:
    try:  # an object store knows no folders: one cannot be asked for, only looked into
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in files:
        yield f"{folder}/{name}" if folder else name
    for name in folders:
        yield from _names(f"{folder}/{name}" if folder else name)


def _holds(name: str, wanted: bytes) -> bool:
    tail = b""
    with default_storage.open(name, "rb") as file:
        while piece := file.read(_READ_BYTES):
            if wanted in tail + piece:
                return True
            tail = piece[-len(wanted) :]
    return False
