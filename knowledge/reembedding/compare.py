"""Two searches side by side: what a question finds with the vectors of each model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, require
from core.errors import Conflict
from knowledge.models import EmbeddingChange
from knowledge.retrieval.hits import Retrieval, RetrievalHit
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings

Mark = Literal["same", "up", "down", "only"]
MOST_HITS = 10


@dataclass(frozen=True, kw_only=True)
class ComparedHit:
    """A passage that one of the models found, and where the other one has it."""

    hit: RetrievalHit
    mark: Mark
    """`up`: better placed here than there; `only`: not among the hits there."""
    moved: int
    """By how many places; 0 for `same` and `only`."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What both models find for one question, as far as the asking person sees it."""

    question: str
    old: tuple[ComparedHit, ...]
    new: tuple[ComparedHit, ...]
    shared: int
    """Passages that both found."""
    warnings: tuple[str, ...]


def compare(actor: Actor, change: EmbeddingChange, question: str) -> Comparison:
    """Ask a change's base with both models; everything else of the search is the same.

    Raises:
        AccessDenied: the actor may not change the base.
        Conflict: one of the models cannot be asked (any more).
        Invalid: the question is empty or too long.
    """
    require(actor, "change", change.base)
    if not change.is_open or change.from_model_id in (None, change.to_model_id):
        raise Conflict(_("There are no two models to compare; start a change first."))
    old = _ask(actor, change, question, change.from_model_id)
    new = _ask(actor, change, question, change.to_model_id)
    old_ranks, new_ranks = _ranks(old), _ranks(new)
    return Comparison(
        question=old.query,
        old=tuple(_marked(hit, new_ranks) for hit in old.hits),
        new=tuple(_marked(hit, old_ranks) for hit in new.hits),
        shared=len(old_ranks.keys() & new_ranks.keys()),
        warnings=tuple(dict.fromkeys((*old.warnings, *new.warnings))),
    )


def _ask(actor: Actor, change: EmbeddingChange, question: str, model_id: UUID | None) -> Retrieval:
    return retrieve(
        actor,
        query=question,
        scope=Scope(base_ids=(change.base_id,)),
        settings=RetrievalSettings(limit=MOST_HITS, embedding_model_id=model_id),
    )


def _ranks(found: Retrieval) -> dict[UUID, int]:
    return {hit.chunk_id: hit.rank for hit in found.hits}


def _marked(hit: RetrievalHit, others: dict[UUID, int]) -> ComparedHit:
    other = others.get(hit.chunk_id)
    if other is None:
        return ComparedHit(hit=hit, mark="only", moved=0)
    if other == hit.rank:
        return ComparedHit(hit=hit, mark="same", moved=0)
    return ComparedHit(
        hit=hit, mark="up" if hit.rank < other else "down", moved=abs(hit.rank - other)
    )
