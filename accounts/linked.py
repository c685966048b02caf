"""A condition on rows of another table that point to the row at hand, for clauses of policies.

Clauses are looked up through parents by prefixing their lookups; an `Exists` with an `OuterRef`
inside could not be prefixed. This one keeps its path apart, and its inner SQL is compiled once:
Django's way to it costs more than all the rest of a check.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import models
from django.db.models import BooleanField, Expression, F, Q
from django.db.models.sql.compiler import SQLCompiler


@dataclass(frozen=True)
class LinkedRows:
    """A compiled query of the keys of rows at which other rows point; reusable, a plain value."""

    sql: str
    """Selects one column, `linked`; empty: it selects nothing."""
    params: tuple[Any, ...] = ()

    @classmethod
    def of(cls, rows: models.QuerySet[Any], *, link: str) -> LinkedRows:
        """Compile `rows` to the keys in their field `link`, in the scope that is open now."""
        keys = rows.order_by().annotate(linked=F(link)).values_list("linked")
        try:
            sql, params = keys.query.sql_with_params()
        except EmptyResultSet:
            return cls("")
        return cls(sql, tuple(params))


class LinkedExists(Expression):
    """Whether one of `rows` points at the row at hand.

    One subquery by an indexed column: PostgreSQL makes a semi- or anti-join of it in a list, and
    looks at a handful of rows in a single check, whatever the size of the table.
    """

    conditional = True

    def __init__(self, rows: LinkedRows, *, path: str = "pk") -> None:
        super().__init__(output_field=BooleanField())
        self.rows, self.path = rows, path
        self.key: Any = F(path)

    def prefixed(self, prefix: str) -> LinkedExists:
        """Return the same condition for a child, whose parent is at `prefix`."""
        return LinkedExists(self.rows, path=prefix + self.path)

    def get_source_expressions(self) -> list[Any]:
        """Return the key of the row at hand, which Django resolves."""
        return [self.key]

    def set_source_expressions(self, exprs: Any) -> None:
        """Take the resolved key."""
        (self.key,) = exprs

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, list[Any]]:  # type: ignore[override]  # Django's stubs name a narrower connection
        """Write it."""
        if not self.rows.sql:
            raise EmptyResultSet
        key, params = compiler.compile(self.key)
        rows = self.rows.sql
        sql = f"EXISTS (SELECT 1 FROM ({rows}) AS pointing WHERE pointing.linked = {key})"  # noqa: S608  both compiled by Django
        return sql, [*self.rows.params, *params]


def prefixed(where: Q, prefix: str) -> Q:
    """Return the condition as it is asked through a parent, whose lookup is `prefix`.

    Raises:
        TypeError: a part of it is neither a lookup nor a `LinkedExists`.
    """
    found = Q()
    found.connector, found.negated = where.connector, where.negated
    found.children = [_prefixed_child(child, prefix) for child in where.children]
    return found


def _prefixed_child(child: Any, prefix: str) -> Any:
    if isinstance(child, Q):
        return prefixed(child, prefix)
    if isinstance(child, LinkedExists):
        return child.prefixed(prefix)
    if not isinstance(child, tuple):
        raise TypeError(f"{child!r} cannot be looked up through a parent; write it as a lookup")
    return prefix + child[0], child[1]
