"""Finds passages by the graph: entities that a question names, their neighbours, and their evidence.

Nothing here asks a model. Everything is read through `evidence_in`: an entity or relation without
evidence that the reader may see is not there, neither named nor walked over.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db import connection
from django.db.models import Count, Q

from knowledge.graph.evidence import MostFrequent, evidence_in
from knowledge.graph.names import is_in_words, possible_names
from knowledge.models import GraphEntity
from knowledge.retrieval.scope import Searched
from knowledge.text.analyze import analyze

MOST_HOPS = 2
MOST_NAMED = 20
"""Entities of a question."""
MOST_RELATIONS_A_HOP = 60
MOST_EVIDENCE = 5_000
_BY_WORDS = 0.9
"""Strength of an entity all of whose words are in the question, in another order or form."""
_BY_SPELLING = 0.85
"""Times the similarity, of one whose name is spelled nearly so."""
_SIMILAR_ENOUGH = 0.55
_SHORTEST_SIMILAR = 5
"""Characters; shorter names resemble too many others."""
_MOST_SIMILAR_WORDS = 3
"""Of a run that is compared by its spelling."""
_A_HOP = 0.5
_OF_ENTITY, _OF_RELATION = 0.6, 0.8
"""How much a mention of a named entity, or of a relation of it, says for a passage."""


@dataclass(frozen=True, kw_only=True)
class GraphHit:
    """A passage that the graph leads to."""

    chunk_id: UUID
    document_id: UUID
    position: int
    score: float
    """0..1: how many of the reached entities and relations it speaks of, near ones counting more."""
    hops: int
    """0: it speaks of an entity that the question names; else so many relations away."""


@dataclass(frozen=True, kw_only=True)
class Reached:
    """An entity that was reached."""

    id: UUID
    strength: float
    """0..1: how surely it is meant, halved by each hop."""
    hops: int


@dataclass(frozen=True, kw_only=True)
class Crossed:
    """A relation between two reached entities."""

    id: UUID
    source_id: UUID
    target_id: UUID
    kind: str
    passages: int
    """That tell of it, as far as the reader may see."""


@dataclass(kw_only=True)
class Walk:
    """What a walk over the graph came by."""

    entities: dict[UUID, Reached] = field(default_factory=dict)
    relations: dict[UUID, Crossed] = field(default_factory=dict)

    def strength_of(self, entity_id: UUID | None, relation_id: UUID | None) -> float:
        """Return how much evidence of one of them says for its passage."""
        if entity_id is not None:
            return _OF_ENTITY * self.entities[entity_id].strength
        assert relation_id is not None  # the table demands one of them
        return _OF_RELATION * max(each.strength for each in self._ends(relation_id))

    def hops_of(self, entity_id: UUID | None, relation_id: UUID | None) -> int:
        """Return how far away one of them is."""
        if entity_id is not None:
            return self.entities[entity_id].hops
        assert relation_id is not None
        return max(each.hops for each in self._ends(relation_id))

    def _ends(self, relation_id: UUID) -> tuple[Reached, Reached]:
        crossed = self.relations[relation_id]
        return self.entities[crossed.source_id], self.entities[crossed.target_id]


def graph_candidates(
    where: Searched, question: str, *, limit: int, hops: int = 1
) -> list[GraphHit]:
    """Return the passages to which the graph leads from what a question names, best first.

    Args:
        where: what the reader may search.
        question: in words; entities are found in it by our segmentation and by their spelling.
        limit: most hits.
        hops: how many relations to go along, 0 to 2.
    """
    named = named_entities(where, question)
    if not named or limit < 1:
        return []
    return hits_of(where, walk(where, named, hops=hops), limit=limit)


def named_entities(where: Searched, question: str) -> dict[UUID, float]:
    """Return the entities that a question names, each with how surely it is meant, surest first."""
    if not where.bases:
        return {}
    names = possible_names(question)
    terms = sorted(set(analyze(question)))
    rows = GraphEntity.objects.filter(base_id__in=where.base_ids)
    found = dict.fromkeys(rows.filter(normalised_name__in=names).values_list("pk", flat=True), 1.0)
    by_words = rows.filter(terms__overlap=terms, terms__contained_by=terms)
    for pk in by_words.order_by("pk").values_list("pk", flat=True)[:MOST_EVIDENCE]:
        found.setdefault(pk, _BY_WORDS)
    for pk, similarity in _similar(where, names).items():
        found[pk] = max(found.get(pk, 0.0), _BY_SPELLING * similarity)
    seen = evidence_in(where).filter(entity_id__in=list(found))
    present = set(seen.order_by().values_list("entity_id", flat=True).distinct())
    ranked = sorted(
        ((pk, sure) for pk, sure in found.items() if pk in present),
        key=lambda pair: (-pair[1], str(pair[0])),
    )
    return dict(ranked[:MOST_NAMED])


def walk(where: Searched, named: Mapping[UUID, float], *, hops: int) -> Walk:
    """Go along relations that the reader may know of; those with the most evidence first."""
    found = Walk(entities={pk: Reached(id=pk, strength=sure, hops=0) for pk, sure in named.items()})
    frontier = set(named)
    for hop in range(1, min(hops, MOST_HOPS) + 1):
        crossed = _relations_of(where, frontier, known=found.relations)
        reached: set[UUID] = set()
        for each in crossed:
            known = [found.entities[end] for end in _ends(each) if end in found.entities]
            strength = _A_HOP * max(one.strength for one in known)
            for end in _ends(each):
                if end not in found.entities:
                    found.entities[end] = Reached(id=end, strength=strength, hops=hop)
                    reached.add(end)
            found.relations[each.id] = each
        frontier = reached
        if not frontier:
            break
    return found


def hits_of(where: Searched, found: Walk, *, limit: int) -> list[GraphHit]:
    """Return the passages that speak of what was reached; ties are in the order of the documents."""
    mentions = evidence_in(where).filter(
        Q(entity_id__in=list(found.entities)) | Q(relation_id__in=list(found.relations))
    )
    rows = mentions.order_by("document_id", "chunk__position", "pk").values_list(
        "chunk_id", "document_id", "chunk__position", "entity_id", "relation_id"
    )
    silent: dict[UUID, float] = {}
    best: dict[UUID, GraphHit] = {}
    for chunk_id, document_id, position, entity_id, relation_id in rows[:MOST_EVIDENCE]:
        strength = found.strength_of(entity_id, relation_id)
        silent[chunk_id] = silent.get(chunk_id, 1.0) * (1.0 - strength)
        hops = found.hops_of(entity_id, relation_id)
        before = best.get(chunk_id)
        best[chunk_id] = GraphHit(
            chunk_id=chunk_id,
            document_id=document_id,
            position=position,
            score=1.0 - silent[chunk_id],
            hops=hops if before is None else min(hops, before.hops),
        )
    ranked = sorted(best.values(), key=lambda hit: (-hit.score, str(hit.document_id), hit.position))
    return ranked[:limit]


def names_of(where: Searched, entity_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of entities as the passages that the reader may see spell them."""
    rows = evidence_in(where).filter(entity_id__in=entity_ids).order_by().values("entity_id")
    return dict(rows.annotate(spelled=MostFrequent("name")).values_list("entity_id", "spelled"))


def _relations_of(
    where: Searched, entity_ids: Collection[UUID], *, known: Collection[UUID]
) -> list[Crossed]:
    around = evidence_in(where).filter(
        Q(relation__source_id__in=entity_ids) | Q(relation__target_id__in=entity_ids)
    )
    rows = (
        around.exclude(relation_id__in=list(known))
        .order_by()
        .values("relation_id", "relation__source_id", "relation__target_id", "relation__kind")
        .annotate(passages=Count("pk"))
        .order_by("-passages", "relation_id")[:MOST_RELATIONS_A_HOP]
    )
    return [
        Crossed(
            id=row["relation_id"],
            source_id=row["relation__source_id"],
            target_id=row["relation__target_id"],
            kind=row["relation__kind"],
            passages=row["passages"],
        )
        for row in rows
    ]


def _ends(crossed: Crossed) -> tuple[UUID, UUID]:
    return crossed.source_id, crossed.target_id


def _similar(where: Searched, names: Collection[str]) -> dict[UUID, float]:
    """Return entities whose names are spelled nearly like a run of the question's words."""
    runs = [each for each in names if len(each) >= _SHORTEST_SIMILAR and is_in_words(each)]
    runs = [each for each in runs if each.count(" ") < _MOST_SIMILAR_WORDS]
    if not runs:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT entity.id, max(similarity(entity.normalised_name, runs.run)) AS nearest"
            " FROM unnest(%s::text[]) AS runs(run)"
            " JOIN knowledge_graphentity AS entity ON entity.normalised_name %% runs.run"
            " WHERE entity.base_id = ANY(%s) GROUP BY entity.id"
            " HAVING max(similarity(entity.normalised_name, runs.run)) >= %s",
            [runs, where.base_ids, _SIMILAR_ENOUGH],
        )
        return dict(cursor.fetchall())
