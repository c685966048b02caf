"""Looking around in the graphs of several bases, also of other spaces: for agents.

A base of another space is read as the guest that the actor is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from accounts.access import Actor
from core.tenancy import space_scope
from knowledge.graph.evidence import evidence_in
from knowledge.graph.searching import (
    GraphHit,
    Walk,
    hits_of,
    named_entities,
    names_of,
    walk,
)
from knowledge.models import Chunk
from knowledge.retrieval.scope import Scope, Searched, resolve
from knowledge.sharing.parts import parts_of

MOST_STATEMENTS = 40


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A relation between two entities, with passages that say so."""

    source: str
    kind: str
    target: str
    chunk_ids: tuple[UUID, ...]
    """Of the passages that come with it, best first; never empty."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a graph says around the entities that were named."""

    named: tuple[str, ...]
    """The entities that were found by the question, surest first."""
    statements: tuple[Statement, ...]
    hits: tuple[GraphHit, ...]
    """Best first."""
    chunks: dict[UUID, Chunk]
    """The rows of the hits, with their documents."""


def explore(actor: Actor, *, question: str, scope: Scope, hops: int, limit: int) -> Surroundings:
    """Return what the graphs say around what a question names; only what the shown passages tell.

    Raises:
        NotFound: the scope is strict and names a base or document that the actor may not see.
    """
    found: list[Surroundings] = []
    for part in parts_of(actor, scope):
        with space_scope(part.reader.space_id):
            where = resolve(part.reader, part.scope)
            found.append(_explore(where, question, hops=hops, limit=limit))
    if len(found) == 1:
        return found[0]
    hits = sorted(
        (hit for each in found for hit in each.hits),
        key=lambda hit: (-hit.score, str(hit.document_id), hit.position),
    )[:limit]
    kept = {hit.chunk_id for hit in hits}
    return Surroundings(
        named=tuple(dict.fromkeys(name for each in found for name in each.named)),
        statements=_told([one for each in found for one in each.statements], kept),
        hits=tuple(hits),
        chunks={pk: row for each in found for pk, row in each.chunks.items() if pk in kept},
    )


def _explore(where: Searched, question: str, *, hops: int, limit: int) -> Surroundings:
    named = named_entities(where, question)
    found = walk(where, named, hops=hops)
    hits = hits_of(where, found, limit=limit)
    rows = where.chunks.filter(pk__in=[hit.chunk_id for hit in hits]).select_related("document")
    chunks = {row.pk: row for row in rows}
    hits = [hit for hit in hits if hit.chunk_id in chunks]
    names = names_of(where, list(found.entities))
    statements = _statements(where, found, names, hits)
    # A name is told only with a passage that has it.
    shown = evidence_in(where).filter(chunk_id__in=list(chunks), entity_id__in=list(named))
    told = set(shown.order_by().values_list("entity_id", flat=True))
    return Surroundings(
        named=tuple(names[pk] for pk in named if pk in told and pk in names),
        statements=_told(statements, set(chunks)),
        hits=tuple(hits),
        chunks=chunks,
    )


def _statements(
    where: Searched, found: Walk, names: dict[UUID, str], hits: Sequence[GraphHit]
) -> list[Statement]:
    order = {hit.chunk_id: number for number, hit in enumerate(hits)}
    rows = evidence_in(where).filter(
        relation_id__in=list(found.relations), chunk_id__in=list(order)
    )
    saying: dict[UUID, list[UUID]] = {}
    for relation_id, chunk_id in rows.order_by("pk").values_list("relation_id", "chunk_id"):
        saying.setdefault(relation_id, []).append(chunk_id)
    return [
        Statement(
            source=names.get(crossed.source_id, ""),
            kind=crossed.kind,
            target=names.get(crossed.target_id, ""),
            chunk_ids=tuple(sorted(saying[crossed.id], key=order.__getitem__)),
        )
        for crossed in found.relations.values()
        if crossed.id in saying
    ]


def _told(statements: Sequence[Statement], kept: set[UUID]) -> tuple[Statement, ...]:
    """Return the statements that a kept passage tells of."""
    found = (
        Statement(
            source=each.source,
            kind=each.kind,
            target=each.target,
            chunk_ids=tuple(pk for pk in each.chunk_ids if pk in kept),
        )
        for each in statements
    )
    return tuple(each for each in found if each.chunk_ids and each.source)[:MOST_STATEMENTS]
