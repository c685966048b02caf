"""The space that the running request, task or socket frame works for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

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

    def get_compiler(
        self, using: str | None = None, connection: Any = None, elide_empty: bool = True
    ) -> SQLCompiler:
        raise NoSpaceScope(f"{self.model} was queried outside of space_scope()")

    def chain(self, klass: type[Query] | None = None) -> Any:
        if klass is not None and klass is not type(self):
            raise NoSpaceScope(f"{self.model} was written outside of space_scope()")
        return super().chain()


class SpaceQuerySet(models.QuerySet[M]):
    """A queryset limited to the current space; it fails closed outside of a scope."""

    def delete(self) -> tuple[int, dict[str, int]]:
        """Delete the rows (Django's fast path for this goes around the query's compiler)."""
        self._require_scope()
        return super().delete()

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

    def _require_scope(self) -> None:
        if isinstance(self.query, _GuardedQuery):
            raise NoSpaceScope(f"{self.model.__name__} was deleted outside of space_scope()")


class SpaceManager(models.Manager[M]):
    """The default manager of every space-owned model."""

    def get_queryset(self) -> models.QuerySet[M]:
        space_id = _current.get()
        if space_id is None:
            return SpaceQuerySet(self.model, query=_GuardedQuery(self.model), using=self._db)
        queryset: models.QuerySet[M] = SpaceQuerySet(self.model, using=self._db)
        return queryset if space_id == _UNSCOPED else queryset.filter(space_id=space_id)


class SpaceOwned(models.Model):
    """Base of every model whose rows belong to one space."""

    space = models.ForeignKey("accounts.Space", on_delete=models.CASCADE, related_name="+")

    objects = SpaceManager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write the row if it belongs to the current space."""
        require_current(self)
        super().save(*args, **kwargs)


def require_current(row: models.Model) -> None:
    """Return if the row belongs to the current space or the block is unscoped.

    Raises:
        NoSpaceScope: there is no scope, or it is another space's.
    """
    if _current.get() not in (_UNSCOPED, getattr(row, "space_id", None)):
        raise NoSpaceScope(f"{type(row).__name__} of another space than the scope's")
