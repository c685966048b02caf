"""Makes the database itself refuse a foreign key from one space's row to another space's row.

The manager filters what is read by its own space, but a join follows a key wherever it points to.
Each foreign key between two space-owned tables therefore gets a second, composite one that holds
the space, too: (space_id, base_id) → (space_id, id). They are added after every `migrate`, from the
models as they are, so that no model and no migration can forget its wall.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import connections, models

from core.tenancy import SpaceOwned

_COLUMNS = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
_EXISTING = "SELECT conname FROM pg_constraint WHERE connamespace = current_schema()::regnamespace"


@dataclass(frozen=True, kw_only=True)
class SpaceKey:
    """One relation between two space-owned tables."""

    table: str
    column: str
    target_table: str
    target_column: str

    @property
    def name(self) -> str:
        """The constraint's name, unique and short enough for PostgreSQL."""
        digest = hashlib.sha256(f"{self.table}.{self.column}".encode()).hexdigest()[:8]
        return f"{self.table[:30]}_{self.column[:16]}_{digest}_space"

    @property
    def target_name(self) -> str:
        """The name of the unique pair in the target table."""
        return f"{self.target_table[:40]}_id_per_space"


def space_keys() -> Iterator[SpaceKey]:
    """Yield every foreign key between two space-owned tables."""
    for model in apps.get_models(include_auto_created=True):
        if not issubclass(model, SpaceOwned):
            continue
        for field in model._meta.local_concrete_fields:
            if not isinstance(field, models.ForeignKey) or field.name == "space":
                continue
            target = field.target_field
            if issubclass(target.model, SpaceOwned):
                yield SpaceKey(
                    table=model._meta.db_table,
                    column=field.column,
                    target_table=target.model._meta.db_table,
                    target_column=str(target.column),
                )


def add_space_keys(*, using: str) -> list[SpaceKey]:
    """Add the composite keys that the database `using` lacks; return them."""
    connection = connections[using]
    with connection.cursor() as cursor:
        cursor.execute(_EXISTING)
        existing = {name for (name,) in cursor.fetchall()}
        missing = [key for key in space_keys() if key.name not in existing]
        if not missing:
            return []
        cursor.execute(_COLUMNS)
        ready = _with_columns(missing, set(cursor.fetchall()))
        for key in ready:
            if key.target_name not in existing:
                cursor.execute(_unique_sql(key))
                existing.add(key.target_name)
            cursor.execute(_foreign_key_sql(key))
    return ready


def _with_columns(keys: Iterable[SpaceKey], columns: set[tuple[str, str]]) -> list[SpaceKey]:
    """Keep those whose tables stand already: an older migration state may lack some."""
    return [
        key
        for key in keys
        if {
            (key.table, key.column),
            (key.table, "space_id"),
            (key.target_table, key.target_column),
            (key.target_table, "space_id"),
        }
        <= columns
    ]


def _unique_sql(key: SpaceKey) -> str:
    return (
        f'ALTER TABLE "{key.target_table}" ADD CONSTRAINT "{key.target_name}" '
        f'UNIQUE ("{key.target_column}", "space_id")'
    )


def _foreign_key_sql(key: SpaceKey) -> str:
    # Deferred like Django's own keys: a cascade over a circle of tables relies on that.
    return (
        f'ALTER TABLE "{key.table}" ADD CONSTRAINT "{key.name}" '
        f'FOREIGN KEY ("{key.column}", "space_id") '
        f'REFERENCES "{key.target_table}" ("{key.target_column}", "space_id") '
        "DEFERRABLE INITIALLY DEFERRED"
    )
