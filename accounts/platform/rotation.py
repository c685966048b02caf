"""Encrypts everything again with the first key: columns by their type, and JSON that holds secrets.

Columns are found by their field, whichever app has them; JSON is registered, because nobody can see
from outside what stands in it. Each batch is one transaction, and a row that is current already is
skipped: a run that was killed is simply begun again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.db import connection, models, transaction

from core.secrets import EncryptedTextField, SecretUnreadable, is_current, renew

BATCH_ROWS = 200
MOST_PASSES = 20
_TOKEN = "gAAAAA"  # noqa: S105  how every Fernet token begins: version and the year's upper bits


@dataclass(frozen=True, kw_only=True)
class Place:
    """A column that holds secrets."""

    model: type[models.Model]
    column: str
    is_json: bool = False

    @property
    def label(self) -> str:
        """The place as people read it."""
        return f"{self.model._meta.label}.{self.column}"


@dataclass(kw_only=True)
class Rotation:
    """What was done."""

    renewed: dict[str, int] = field(default_factory=dict)
    """Secrets by place."""
    unreadable: dict[str, int] = field(default_factory=dict)
    """Secrets that no key fits: they stay as they are until somebody enters new ones."""


_json_places: list[Place] = [Place(model=Authenticator, column="data", is_json=True)]


def register_json(model: type[models.Model], column: str) -> None:
    """Name a JSON column whose texts may be tokens of `core.secrets.encrypt`."""
    _json_places.append(Place(model=model, column=column, is_json=True))


def places() -> Iterator[Place]:
    """Yield every column that holds secrets."""
    for model in apps.get_models(include_auto_created=True):
        for each in model._meta.local_concrete_fields:
            if isinstance(each, EncryptedTextField):
                yield Place(model=model, column=str(each.column))
    yield from _json_places


def renew_everything(*, told: Callable[[str, int], None] | None = None) -> Rotation:
    """Encrypt all secrets with the first key; `told` hears of each place, with the count so far.

    It goes over everything until nothing is left to do: a process that had read the keys a moment
    before they changed may have written with the old one meanwhile.

    Raises:
        RuntimeError: somebody goes on writing with an old key.
    """
    done = Rotation()
    for _ in range(MOST_PASSES):
        done.unreadable = {}
        if not sum(_renew_place(place, done, told) for place in places()):
            return done
    raise RuntimeError("Secrets are still written with an old key: is a process not restarted?")


def _renew_place(place: Place, done: Rotation, told: Callable[[str, int], None] | None) -> int:
    last: Any = None
    renewed = 0
    while True:
        with transaction.atomic():
            rows = _next_rows(place, last)
            if not rows:
                break
            for pk, value in rows:
                renewed += _renew_row(place, pk, value, done)
            last = rows[-1][0]
        if told is not None and renewed:
            told(place.label, renewed)
    if renewed:
        done.renewed[place.label] = done.renewed.get(place.label, 0) + renewed
    return renewed


def _next_rows(place: Place, last: Any) -> list[tuple[Any, Any]]:
    """Return the next batch, locked, as it stands in the table: no field decrypts it."""
    quote = connection.ops.quote_name
    meta = place.model._meta
    key, column, table = (quote(str(n)) for n in (meta.pk.column, place.column, meta.db_table))
    where = f"WHERE {key} > %s" if last is not None else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {key}, {column}::text FROM {table} {where} ORDER BY {key}"  # noqa: S608  names of models, quoted
            f" LIMIT {BATCH_ROWS} FOR UPDATE",
            [last] if last is not None else [],
        )
        return list(cursor.fetchall())


def _renew_row(place: Place, pk: Any, value: str | None, done: Rotation) -> int:
    if not value:
        return 0
    lost = _Count()
    if place.is_json:
        known = json.loads(value)
        fresh: Any = _renewed_json(known, lost)
        changed = fresh != known
        stored = json.dumps(fresh)
    else:
        stored = _renewed(value, lost)
        changed = stored != value
    if lost.number:
        done.unreadable[place.label] = done.unreadable.get(place.label, 0) + lost.number
    if changed:
        _write(place, pk, stored)
    return int(changed)


@dataclass
class _Count:
    number: int = 0


def _renewed(token: str, lost: _Count) -> str:
    if is_current(token):
        return token
    try:
        return renew(token)
    except SecretUnreadable:
        lost.number += 1
        return token


def _renewed_json(value: Any, lost: _Count) -> Any:
    if isinstance(value, dict):
        return {key: _renewed_json(each, lost) for key, each in value.items()}
    if isinstance(value, list):
        return [_renewed_json(each, lost) for each in value]
    if isinstance(value, str) and value.startswith(_TOKEN):
        return _renewed(value, lost)
    return value


def _write(place: Place, pk: Any, stored: str) -> None:
    quote = connection.ops.quote_name
    meta = place.model._meta
    cast = "::jsonb" if place.is_json else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {quote(meta.db_table)} SET {quote(place.column)} = %s{cast}"  # noqa: S608  names of models, quoted
            f" WHERE {quote(str(meta.pk.column))} = %s",
            [stored, pk],
        )
