"""Reads of golden questions, evaluations and results, as far as the actor may see them.

A question may quote the document that answers it. So who may not read one of its documents does not
get the question, and of a result only the figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from core.errors import NotFound
from knowledge.access.queries import closed_documents
from knowledge.constants import GoldenOrigin, GoldenState
from knowledge.evaluation.expected import documents_named
from knowledge.models import Document, EvaluationResult, EvaluationRun, GoldenQuestion
from knowledge.queries import get_base

MOST_QUESTIONS = 5_000
"""Of one base."""
DRAFTING = "drafting"
"""Kind of a run in which a model drafts golden questions; it measures nothing."""


@dataclass(frozen=True, kw_only=True)
class GoldenFilter:
    """Which golden questions are listed; blank means any."""

    text: str = ""
    state: str = ""
    """One of `GoldenState`, or `all`; blank: all but those that are retired."""
    origin: str = ""


EVERY = GoldenFilter(state="all")


@dataclass(frozen=True, kw_only=True)
class SeenResult:
    """A result as its reader may see it."""

    row: EvaluationResult
    is_closed: bool
    """A document behind it is closed to the reader: only the figures are told."""
    ranked: tuple[dict[str, Any], ...]
    """The ranking with `name`; documents that the reader may not see have none."""


def list_golden(
    actor: Actor, base_id: UUID, wanted: GoldenFilter = GoldenFilter()
) -> list[GoldenQuestion]:
    """Return the golden questions of a base that are open to the actor, drafts first, then newest.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    require(actor, "edit", get_base(actor, base_id))
    rows = GoldenQuestion.objects.filter(base_id=base_id).select_related("author", "confirmed_by")
    if wanted.text:
        rows = rows.filter(question__icontains=wanted.text)
    if wanted.state in GoldenState.values:
        rows = rows.filter(state=wanted.state)
    elif not wanted.state:
        rows = rows.exclude(state=GoldenState.RETIRED)
    if wanted.origin in GoldenOrigin.values:
        rows = rows.filter(origin=wanted.origin)
    found = _open_only(actor, list(visible(actor, "view", rows)[:MOST_QUESTIONS]))
    return sorted(found, key=lambda row: row.state != GoldenState.DRAFT)


def get_golden(actor: Actor, golden_id: UUID, *, base_id: UUID | None = None) -> GoldenQuestion:
    """Return one golden question with its base, which is the named one.

    Raises:
        NotFound: there is none, or it rests on a document that is closed to the actor.
    """
    rows = GoldenQuestion.objects.filter(pk=golden_id).select_related("base")
    if base_id is not None:
        rows = rows.filter(base_id=base_id)
    found = _open_only(actor, list(visible(actor, "view", rows)))
    if not found:
        raise NotFound(_("There is no such golden question."))
    return found[0]


def confirmed_of(actor: Actor, base_id: UUID) -> list[GoldenQuestion]:
    """Return the confirmed golden questions that the actor sees, oldest first: what a run asks."""
    rows = GoldenQuestion.objects.filter(base_id=base_id, state=GoldenState.CONFIRMED)
    ordered = visible(actor, "view", rows).order_by("created_at", "pk")
    return _open_only(actor, list(ordered[:MOST_QUESTIONS]))


def has_confirmed(base_id: UUID, *, with_passages: bool = False) -> bool:
    """Say whether a base has questions that can be asked; with passages, by which a search can."""
    rows = GoldenQuestion.objects.filter(base_id=base_id, state=GoldenState.CONFIRMED)
    if with_passages:
        rows = rows.exclude(expected=[])
    return rows.exists()


def list_runs(actor: Actor, base_id: UUID) -> QuerySet[EvaluationRun]:
    """Return the evaluations of a base, newest first.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    require(actor, "edit", get_base(actor, base_id))
    rows = EvaluationRun.objects.filter(base_id=base_id).exclude(kind=DRAFTING)
    return visible(actor, "view", rows).select_related("author")


def newest_drafting(actor: Actor, base_id: UUID) -> EvaluationRun | None:
    """Return the newest drafting of questions, running or over."""
    rows = EvaluationRun.objects.filter(base_id=base_id, kind=DRAFTING)
    return visible(actor, "view", rows).first()


def get_run(actor: Actor, run_id: UUID, *, base_id: UUID | None = None) -> EvaluationRun:
    """Return one evaluation with its base, which is the named one, and baseline.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    rows = EvaluationRun.objects.filter(pk=run_id).select_related("base", "baseline", "author")
    if base_id is not None:
        rows = rows.filter(base_id=base_id)
    found = visible(actor, "view", rows).first()
    if found is None:
        raise NotFound(_("There is no such evaluation."))
    return found


def results_of(actor: Actor, run: EvaluationRun) -> list[SeenResult]:
    """Return the results of an evaluation in the order of its questions."""
    rows = list(visible(actor, "view", EvaluationResult.objects.filter(run=run)))
    named = {row.pk: _documents_of(row) for row in rows}
    every = {each for ids in named.values() for each in ids}
    closed = closed_documents(actor, every)
    seen = visible(actor, "view", Document.objects.filter(pk__in=every - closed))
    names = dict(seen.values_list("pk", "name"))
    return [
        SeenResult(
            row=row,
            is_closed=bool(_behind(row) & closed),
            ranked=tuple(
                {**each, "name": names.get(UUID(each["document_id"]), "")} for each in row.ranked
            ),
        )
        for row in rows
    ]


def _open_only(actor: Actor, rows: Sequence[GoldenQuestion]) -> list[GoldenQuestion]:
    named = {row.pk: documents_named(row.expected) for row in rows}
    closed = closed_documents(actor, {each for ids in named.values() for each in ids})
    return [row for row in rows if not named[row.pk] & closed]


def _behind(row: EvaluationResult) -> set[UUID]:
    """Return the documents that question, reference and answer may quote."""
    return documents_named(row.expected) | {UUID(each) for each in row.document_ids}


def _documents_of(row: EvaluationResult) -> set[UUID]:
    return _behind(row) | {UUID(each["document_id"]) for each in row.ranked}
