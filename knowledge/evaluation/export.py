"""What of golden questions and results goes into a copy of the space: what its person may read."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from accounts.access import Actor
from accounts.platform.export import Row
from knowledge.access.queries import closed_documents
from knowledge.evaluation.expected import documents_named


def open_golden(actor: Actor, rows: list[Row]) -> list[Row]:
    """Leave out questions that rest on closed documents."""
    return _open(actor, rows, lambda row: documents_named(row["expected"]))


def open_results(actor: Actor, rows: list[Row]) -> list[Row]:
    """Leave out results behind which closed documents stand; drop closed ones from rankings."""
    kept = _open(actor, rows, _behind)
    ranked = {UUID(each["document_id"]) for row in kept for each in row["ranked"]}
    closed = {str(each) for each in closed_documents(actor, ranked)}
    return [
        {**row, "ranked": [each for each in row["ranked"] if each["document_id"] not in closed]}
        for row in kept
    ]


def _behind(row: Row) -> set[UUID]:
    return documents_named(row["expected"]) | {UUID(each) for each in row["document_ids"]}


def _open(actor: Actor, rows: list[Row], named: Callable[[Row], set[UUID]]) -> list[Row]:
    closed = closed_documents(actor, {each for row in rows for each in named(row)})
    return [row for row in rows if not named(row) & closed]
