"""Contexts of the pages of golden questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import QueryDict
from django.utils.translation import gettext as _
from pydantic import ValidationError

from accounts.access import Actor
from knowledge.constants import OPEN_EVALUATIONS, EvaluationState, GoldenOrigin, GoldenState
from knowledge.evaluation.expected import Expected, read_expected
from knowledge.evaluation.golden import GoldenDraft, expected_from
from knowledge.evaluation.queries import GoldenFilter
from knowledge.models import EvaluationRun, GoldenQuestion, KnowledgeBase
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings
from knowledge.stored_reasons import told

_TONES = {GoldenState.DRAFT: "warn", GoldenState.CONFIRMED: "ok", GoldenState.RETIRED: "line"}
_FOUND = 8
"""Passages that are offered for a question."""


@dataclass(frozen=True, kw_only=True)
class GoldenRow:
    """A golden question in the list."""

    id: UUID
    question: str
    answer: str
    documents: tuple[str, ...]
    state: str
    tone: str
    origin: str
    by: str


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A passage that may be chosen as one that answers."""

    value: str
    """What the form sends: `was:` with the expectation as JSON, `chunk:<id>` or `document:<id>`."""
    name: str
    text: str
    is_chosen: bool


def filter_in(query: QueryDict) -> GoldenFilter:
    """Return what an address asks for; what makes no sense is taken for "any"."""
    return GoldenFilter(
        text=query.get("q", "").strip()[:200],
        state=query.get("state", ""),
        origin=query.get("origin", ""),
    )


def row_of(row: GoldenQuestion) -> GoldenRow:
    """Return a golden question as the list shows it."""
    names = [each.document_name or _("Any document") for each in read_expected(row.expected)]
    return GoldenRow(
        id=row.pk,
        question=row.question,
        answer=row.answer,
        documents=tuple(dict.fromkeys(names)),
        state=str(row.get_state_display()),
        tone=_TONES[GoldenState(row.state)],
        origin=str(row.get_origin_display()),
        by=str(row.author) if row.author else "",
    )


def filter_choices() -> dict[str, list[tuple[str, str]]]:
    """Return what the list may be filtered by."""
    states = [(each.value, str(each.label)) for each in GoldenState]
    origins = [(each.value, str(each.label)) for each in GoldenOrigin]
    return {
        "states": [("", _("Drafts and confirmed")), *states, ("all", _("All"))],
        "origins": [("", _("Any origin")), *origins],
    }


def drafting_of(run: EvaluationRun | None) -> dict[str, Any] | None:
    """Return what `_quality_drafting.html` takes; None when there is nothing to tell."""
    if run is None or run.state == EvaluationState.DONE and not run.metrics.get("failed"):
        return None
    return {
        "id": run.pk,
        "is_open": run.state in OPEN_EVALUATIONS,
        "done": run.done,
        "total": run.total,
        "percent": 100 * run.done / run.total if run.total else 0,
        "failed": run.metrics.get("failed", 0),
        "reason": told(run.reason),
        "state": run.get_state_display(),
    }


def choices_of(
    actor: Actor, base: KnowledgeBase, *, draft: GoldenDraft, find: str = ""
) -> list[Choice]:
    """Return the chosen passages, then those that a search for the question finds."""
    kept = [_kept(each) for each in draft.expected]
    if not find.strip():
        return kept
    found = retrieve(
        actor,
        query=find,
        scope=Scope(base_ids=(base.pk,)),
        settings=RetrievalSettings(limit=_FOUND),
    )
    have = {each.chunk_hash for each in draft.expected}
    whole = {each.document_id for each in draft.expected if each.is_whole_document}
    offered = [
        Choice(
            value=f"chunk:{hit.chunk_id}", name=hit.document_name, text=hit.text, is_chosen=False
        )
        for hit in found.hits
        if hit.content_hash not in have
    ]
    documents = {hit.document_id: hit.document_name for hit in found.hits}
    offered += [
        Choice(value=f"document:{key}", name=name, text="", is_chosen=False)
        for key, name in documents.items()
        if key not in whole
    ]
    return [*kept, *offered]


def draft_in(actor: Actor, base: KnowledgeBase, posted: QueryDict) -> GoldenDraft:
    """Return what a posted form says; passages of other bases are left out."""
    chosen = posted.getlist("expected")[:200]
    kept = [found for each in chosen if (found := _read(each)) is not None]
    picked = expected_from(
        actor,
        base,
        chunk_ids=_ids(chosen, "chunk:"),
        document_ids=_ids(chosen, "document:"),
    )
    return GoldenDraft(
        question=posted.get("question", ""),
        answer=posted.get("answer", ""),
        language=posted.get("language", ""),
        expected=(*kept, *picked),
    )


def draft_of(row: GoldenQuestion) -> GoldenDraft:
    """Return a golden question as a draft."""
    return GoldenDraft(
        question=row.question,
        answer=row.answer,
        language=row.language,
        expected=read_expected(row.expected),
    )


def _kept(each: Expected) -> Choice:
    return Choice(
        value=f"was:{each.model_dump_json()}",
        name=each.document_name or _("Any document"),
        text=each.snippet,
        is_chosen=True,
    )


def _read(value: str) -> Expected | None:
    if not value.startswith("was:"):
        return None
    try:
        return Expected.model_validate_json(value.removeprefix("was:"))
    except ValidationError:
        return None


def _ids(chosen: Sequence[str], prefix: str) -> list[UUID]:
    found = []
    for each in chosen:
        if each.startswith(prefix):
            try:
                found.append(UUID(each.removeprefix(prefix)))
            except ValueError:
                continue
    return found
