"""The registry of what a space's copy holds: tables as JSON lines, and original files.

Each app registers its tables and files in its `apps.py`. What is one person's alone (conversations,
memory) is only in the copy of that person: `own` says by which field it is theirs, `as_seen` takes out
what rests on sources that are closed to them now. A table that is not copied says why, so that a new
one cannot be forgotten (tests/weknora_site/test_export.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from django.db import models
from pgvector.django import HalfVectorField, VectorField

from accounts.access import Actor
from core.secrets import EncryptedTextField

SECRET_FIELDS = frozenset({"token", "key_hash", "password", "invite_code", "signing_secret"})
"""Names of columns that open something; they are in no copy."""
BATCH_ROWS = 200
_DERIVED = (EncryptedTextField, HalfVectorField, VectorField)
Row = dict[str, Any]
AsSeen = Callable[[Actor, list[Row]], list[Row]]
"""Returns the rows as far as the actor may read them now."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table that is copied."""

    model: type[models.Model]
    space_field: str = "space_id"
    own: str = ""
    """Lookup of the person whose row it is; empty: it belongs to the space."""
    extra: tuple[str, ...] = ()
    """Lookups that are added to each row, such as the address of a member."""
    as_seen: AsSeen | None = None

    @property
    def path(self) -> str:
        """Its name in the copy."""
        return f"tables/{self.model._meta.label}.jsonl"


@dataclass(frozen=True, kw_only=True)
class ExportFile:
    """A file that is copied as it is."""

    path: str
    open: Callable[[], BinaryIO]


Files = Callable[[Actor], Iterator[ExportFile]]
"""Yields the files of the actor's space that they may read."""

_tables: dict[type[models.Model], Table] = {}
_left_out: dict[type[models.Model], str] = {}
_files: list[Files] = []


def export_table(table: Table) -> None:
    """Put a table into every copy."""
    _tables[table.model] = table


def leave_out(model: type[models.Model], reason: str) -> None:
    """Say why a table is in no copy."""
    _left_out[model] = reason


def export_files(files: Files) -> Files:
    """Register the decorated function as a source of files."""
    _files.append(files)
    return files


def tables() -> tuple[Table, ...]:
    """Return all tables, in the order of registration."""
    return tuple(_tables.values())


def left_out() -> dict[type[models.Model], str]:
    """Return the tables that are in no copy, with the reasons."""
    return dict(_left_out)


def files_of(actor: Actor) -> Iterator[ExportFile]:
    """Yield all files of the actor's space that are in their copy."""
    for each in _files:
        yield from each(actor)


def rows_of(table: Table, actor: Actor) -> Iterator[Row]:
    """Yield the rows as JSON values, without secrets and without what is made from other rows."""
    where: dict[str, Any] = {table.space_field: actor.space_id}
    if table.own:
        where[table.own] = actor.user_id
    names = [each.attname for each in table.model._meta.concrete_fields if _is_copied(each)]
    rows = table.model._default_manager.filter(**where).order_by("pk")
    found = rows.values(*names, *table.extra).iterator(chunk_size=BATCH_ROWS)
    while batch := list(islice(found, BATCH_ROWS)):
        yield from table.as_seen(actor, batch) if table.as_seen else batch


def _is_copied(field: models.Field[Any, Any]) -> bool:
    return not isinstance(field, _DERIVED) and field.name not in SECRET_FIELDS
