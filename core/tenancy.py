"""The space that the running request, task or socket frame works for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Self, TypeVar

from django.db import models
from django.db.models.query import RawQuerySet
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler

from core.errors import NoSpaceScope

_UNSCOPED = -1
_current: ContextVar[int | None] = ContextVar("space_id", default=None)
M = TypeVar("M", bound=models.Model)


@contextmanager
def space_scope(space_id: int) -> Iterator[None]:
    """Run the block for one space."""
    token = _current.set(space_id)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def unscoped(*, reason: str) -> Iterator[None]:
    """Run the block across spaces. `reason` is for the reader and the audit log."""
    assert reason
    token = _current.set(_UNSCOPED)
    try:
        yield
    finally:
        _current.reset(token)


def current_space_id() -> int | None:
    """Return the scope's space id, None outside of any scope."""
    return _current.get()


class _GuardedQuery(Query):
    """A query that can be built anywhere but compiled only inside a scope."""

    def get_compiler(self, *_: Any, **__: Any) -> SQLCompiler:
        raise NoSpaceScope(f"{self.model} was queried outside of space_scope()")

    def chain(self, klass: type[Query] | None = None) -> Any:
        if klass is not None and klass is not type(self):
            raise NoSpaceScope(f"{self.model} was written outside of space_scope()")
        return super().chain()


class SpaceQuerySet(models.QuerySet[M]):
    """A queryset limited to the current space; it fails closed outside of a scope."""

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete the rows (Django's fast path for this goes around the query's compiler)."""
        self._refuse_guarded(self, "deleted")
        return super().delete()

    def _raw_delete(self, using: str | None) -> int:
        """Delete without signals; Django's collector calls it for cascades."""
        self._refuse_guarded(self, "deleted")
        deleted: int = super()._raw_delete(using)
        return deleted

    def raw(self, *args: Any, **kwargs: Any) -> RawQuerySet[M]:
        """Run SQL as written; it isn't limited to the space, so it needs `unscoped`."""
        if _current.get() != _UNSCOPED:
            raise NoSpaceScope(f"raw SQL on {self.model.__name__} needs unscoped()")
        return super().raw(*args, **kwargs)

    def bulk_create(self, objs: Iterable[M], *args: Any, **kwargs: Any) -> list[M]:
        """Insert rows of the current space."""
        rows = list(objs)
        for row in rows:
            require_current(row)
        return super().bulk_create(rows, *args, **kwargs)

    def bulk_update(
        self, objs: Iterable[M], fields: Iterable[str], *args: Any, **kwargs: Any
    ) -> int:
        """Write fields of rows of the current space."""
        rows, names = list(objs), list(fields)
        for row in rows:
            require_current(row)
        self._refuse_moving(names)
        return super().bulk_update(rows, names, *args, **kwargs)

    def update(self, **kwargs: Any) -> int:
        """Write fields of all rows; a row never moves to another space."""
        self._refuse_moving(kwargs)
        for value in kwargs.values():
            _require_same_space(self.model, value, _current.get())
        return super().update(**kwargs)

    def __and__(self, other: models.QuerySet[M]) -> Self:
        self._refuse_guarded(other, "combined")
        return super().__and__(other)

    def __or__(self, other: models.QuerySet[M]) -> Self:
        # Without this the guarded side would add a condition that holds for all spaces.
        self._refuse_guarded(other, "combined")
        return super().__or__(other)

    def __xor__(self, other: models.QuerySet[M]) -> Self:
        self._refuse_guarded(other, "combined")
        return super().__xor__(other)

    def _refuse_guarded(self, other: models.QuerySet[M], verb: str) -> None:
        if any(isinstance(one.query, _GuardedQuery) for one in (self, other)):
            raise NoSpaceScope(f"{self.model.__name__} was {verb} outside of space_scope()")

    def _refuse_moving(self, names: Iterable[str]) -> None:
        if {"space", "space_id"} & set(names) and _current.get() != _UNSCOPED:
            raise NoSpaceScope(f"{self.model.__name__} cannot move to another space")


class SpaceManager(models.Manager[M]):
    """The default manager of every space-owned model, and the one behind its relations."""

    def get_queryset(self) -> models.QuerySet[M]:
        space_id = _current.get()
        hints: dict[str, models.Model] = self._hints  # type: ignore[attr-defined]  # private, so unknown to the stubs
        if space_id is None:
            query = _GuardedQuery(self.model)
            return SpaceQuerySet(self.model, query=query, using=self._db, hints=hints)
        queryset: models.QuerySet[M] = SpaceQuerySet(self.model, using=self._db, hints=hints)
        return queryset if space_id == _UNSCOPED else queryset.filter(space_id=space_id)


class SpaceOwned(models.Model):
    """Base of every model whose rows belong to one space."""

    space = models.ForeignKey("accounts.Space", on_delete=models.CASCADE, related_name="+")

    objects = SpaceManager()

    class Meta:
        abstract = True
        # Django follows foreign keys, reloads and cascades through this one; its own plain manager
        # would do all of that across spaces.
        base_manager_name = "objects"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write the row if it belongs to the current space."""
        require_current(self)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete the row if it belongs to the current space."""
        require_current(self)
        return super().delete(*args, **kwargs)


def require_current(row: models.Model) -> None:
    """Return if the row and what it points to belong to the current space, or in `unscoped`.

    Only relations that are loaded are looked at here; `core.space_keys` makes the database refuse
    the others.

    Raises:
        NoSpaceScope: there is no scope, or it is another space's.
    """
    space_id = getattr(row, "space_id", None)
    if _current.get() not in (_UNSCOPED, space_id):
        raise NoSpaceScope(f"{type(row).__name__} of another space than the scope's")
    for value in row._state.fields_cache.values():
        _require_same_space(type(row), value, space_id)


def _require_same_space(model: type[models.Model], value: object, space_id: int | None) -> None:
    """Refuse a relation from `model` to `value` when `value` is another space's row."""
    if space_id == _UNSCOPED or not isinstance(value, SpaceOwned):
        return
    if value.space_id != space_id:
        raise NoSpaceScope(
            f"{model.__name__} cannot point to another space's {type(value).__name__}"
        )
