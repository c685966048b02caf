"""Reads recorded searches: what of them the reader may see now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import NotFound
from knowledge.access.queries import closed_documents
from knowledge.models import Chunk, Document, KnowledgeBase, SearchRecord
from knowledge.queries import get_chunks


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One candidate of a recorded search, as the reader may see it."""

    chunk_id: UUID
    document_id: UUID
    dense_rank: int | None
    dense_score: float | None
    keyword_rank: int | None
    keyword_score: float | None
    fused_rank: int | None
    rerank_rank: int | None
    rerank_score: float | None
    final_rank: int | None
    dropped_by: str
    reason: str
    given: bool | None
    """Whether a model got to read it; None where none was asked."""
    chunk: Chunk | None
    """The passage as it is now; None when it is gone, or was cut otherwise since."""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A recorded search."""

    row: SearchRecord
    candidates: tuple[Candidate, ...]
    """In their order then, without those whose documents are closed to the reader."""
    hidden: int
    """How many are left out because their documents are closed, for those who may know."""
    bases: tuple[KnowledgeBase, ...]
    """Those of the searched bases that the reader sees in this space."""
    is_own: bool
    """Whether the reader searched; who it was is told to nobody else."""


def list_searches(actor: Actor, *, base_id: UUID) -> QuerySet[SearchRecord]:
    """Return the searches of a base that the actor may look into, newest first."""
    rows = SearchRecord.objects.filter(base_ids__contains=[base_id])
    return visible(actor, "view", rows).defer("trace").order_by("-created_at", "pk")


def get_search(actor: Actor, search_id: UUID) -> SearchRecord:
    """Return one recorded search.

    Raises:
        NotFound: there is none, or the actor may not look into it.
    """
    row = visible(actor, "view", SearchRecord.objects.filter(pk=search_id)).first()
    if row is None:
        raise NotFound(_("There is no such search. Searches are kept for a while only."))
    return row


def read_search(actor: Actor, search_id: UUID) -> Recorded:
    """Return a recorded search with its candidates; permission on each document is asked again.

    Raises:
        NotFound: as `get_search` has it.
    """
    row = get_search(actor, search_id)
    stored: Sequence[dict[str, Any]] = row.trace.get("candidates", [])
    open_rows = open_candidates(actor, stored)
    chunks = {chunk.pk: chunk for chunk in get_chunks(actor, [_id(each) for each in open_rows])}
    given = {each["chunk_id"]: each.get("given") for each in row.hits}
    bases = visible(actor, "view", KnowledgeBase.objects.filter(pk__in=row.base_ids))
    return Recorded(
        row=row,
        candidates=tuple(_candidate(each, chunks, given) for each in open_rows),
        hidden=len(stored) - len(open_rows),
        bases=tuple(bases.order_by("name")),
        is_own=is_own(actor, row),
    )


def is_own(actor: Actor, row: SearchRecord) -> bool:
    """Say whether the actor is who searched."""
    if row.user_id is not None:
        return actor.kind == "user" and actor.user_id == row.user_id
    return actor.principal == row.principal


def open_candidates(actor: Actor, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the candidates of documents that are not closed to the actor now.

    A document of this space has to be seen; one that is gone tells nothing but its number.
    """
    ids = {UUID(each["document_id"]) for each in rows}
    there = set(Document.objects.filter(pk__in=ids).values_list("pk", flat=True))
    seen = set(
        visible(actor, "view", Document.objects.filter(pk__in=there)).values_list("pk", flat=True)
    )
    closed = closed_documents(actor, ids) | (there - seen)
    return [each for each in rows if UUID(each["document_id"]) not in closed]


def _id(each: dict[str, Any]) -> UUID:
    return UUID(each["chunk_id"])


def _candidate(
    each: dict[str, Any], chunks: dict[UUID, Chunk], given: dict[str, bool | None]
) -> Candidate:
    return Candidate(
        chunk_id=_id(each),
        document_id=UUID(each["document_id"]),
        dense_rank=each.get("dense_rank"),
        dense_score=each.get("dense_score"),
        keyword_rank=each.get("keyword_rank"),
        keyword_score=each.get("keyword_score"),
        fused_rank=each.get("fused_rank"),
        rerank_rank=each.get("rerank_rank"),
        rerank_score=each.get("rerank_score"),
        final_rank=each.get("final_rank"),
        dropped_by=each.get("dropped_by") or "",
        reason=each.get("reason", ""),
        given=given.get(each["chunk_id"]),
        chunk=chunks.get(_id(each)),
    )
