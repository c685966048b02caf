"""Reads of a base's graph for its page: what is drawn, one entity, what could not be read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import NotFound
from knowledge.constants import UNLISTED_SOURCES, ChunkKind, DocumentState, EnrichmentState
from knowledge.graph.enrichment import SHORTEST_PASSAGE
from knowledge.graph.evidence import MostFrequent, evidence_in
from knowledge.graph.names import normal_form
from knowledge.graph.searching import names_of
from knowledge.models import Chunk, Document, GraphMention, GraphPassage, KnowledgeBase
from knowledge.retrieval.scope import Scope, Searched, resolve

MOST_NODES = 500
MOST_LINES = 1_500
MOST_KINDS = 40
MOST_RELATIONS = 200
MOST_DESCRIPTIONS = 5


@dataclass(frozen=True, kw_only=True)
class Node:
    """An entity as it is drawn and listed."""

    id: UUID
    name: str
    kind: str
    passages: int
    """That name it, as far as the reader may see."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A relation between two nodes that are drawn."""

    source_id: UUID
    target_id: UUID
    kind: str
    passages: int


@dataclass(frozen=True, kw_only=True)
class Overview:
    """A base's graph as far as the reader sees it, the most mentioned entities first."""

    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]
    total: int
    """Entities that fit the filters; more than there are nodes when it is too large to be drawn."""
    kinds: tuple[str, ...]
    """Of all entities, whatever the filters."""


@dataclass(frozen=True, kw_only=True)
class Neighbour:
    """A relation of an entity, seen from it."""

    id: UUID
    name: str
    kind: str
    is_outward: bool
    """Whether the entity is the source."""
    passages: int


@dataclass(frozen=True, kw_only=True)
class EntityDetail:
    """One entity with its relations; its evidence is `evidence`, in the order of the documents."""

    node: Node
    descriptions: tuple[str, ...]
    neighbours: tuple[Neighbour, ...]
    evidence: QuerySet[GraphMention]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far the reading of a base's graph is, in documents that the reader sees."""

    read: int
    running: int
    total: int
    failed_passages: int


def overview(actor: Actor, base: KnowledgeBase, *, kind: str = "", text: str = "") -> Overview:
    """Return what is drawn of a base; `kind` and `text`, a part of the name, narrow it."""
    where = _whole(actor, base)
    evidence = evidence_in(where).filter(entity__isnull=False).order_by()
    kinds = evidence.exclude(kind="").values_list("kind", flat=True).distinct()
    shown = evidence
    if wanted := normal_form(text):
        shown = shown.filter(entity__normalised_name__contains=wanted)
    grouped = shown.values("entity_id").annotate(
        passages=Count("pk"), spelled=MostFrequent("name"), sort=MostFrequent("kind")
    )
    if kind:
        grouped = grouped.filter(sort=kind)
    nodes = tuple(
        Node(id=row["entity_id"], name=row["spelled"], kind=row["sort"], passages=row["passages"])
        for row in grouped.order_by("-passages", "spelled", "entity_id")[:MOST_NODES]
    )
    total = len(nodes) if len(nodes) < MOST_NODES else grouped.count()
    return Overview(
        nodes=nodes,
        lines=_lines(where, [node.id for node in nodes]),
        total=total,
        kinds=tuple(kinds.order_by("kind")[:MOST_KINDS]),
    )


def entity_detail(actor: Actor, base: KnowledgeBase, entity_id: UUID) -> EntityDetail:
    """Return one entity of a base.

    Raises:
        NotFound: there is none, or no passage that the actor may see names it.
    """
    where = _whole(actor, base)
    mentions = evidence_in(where).filter(entity_id=entity_id)
    row = (
        mentions.order_by()
        .values("entity_id")
        .annotate(passages=Count("pk"), spelled=MostFrequent("name"), sort=MostFrequent("kind"))
        .order_by("entity_id")
        .first()
    )
    if row is None:
        raise NotFound(_("There is no such entity."))
    described = mentions.exclude(description="").order_by("document_id", "chunk__position")
    descriptions = dict.fromkeys(described.values_list("description", flat=True)[:50])
    return EntityDetail(
        node=Node(id=entity_id, name=row["spelled"], kind=row["sort"], passages=row["passages"]),
        descriptions=tuple(descriptions)[:MOST_DESCRIPTIONS],
        neighbours=_neighbours(where, entity_id),
        evidence=mentions.select_related("chunk", "document").order_by(
            "document__name", "document_id", "chunk__position"
        ),
    )


def failed_passages(actor: Actor, base: KnowledgeBase) -> QuerySet[GraphPassage]:
    """Return the passages of which nothing could be read, with the reasons, as far as the actor sees."""
    rows = GraphPassage.objects.filter(chunk__in=_whole(actor, base).chunks.order_by().values("pk"))
    failed = rows.exclude(error="").select_related("chunk", "document")
    return failed.order_by("document__name", "document_id", "chunk__position")


def progress(actor: Actor, base: KnowledgeBase) -> Progress:
    """Return how far the reading of a base's graph is."""
    documents = visible(actor, "view", readable_documents(base))
    read = GraphPassage.objects.filter(document__in=documents.values("pk"))
    counted = documents.aggregate(
        total=Count("pk"), running=Count("pk", filter=Q(enrichment=EnrichmentState.RUNNING))
    )
    return Progress(
        read=read.order_by().values("document_id").distinct().count(),
        running=counted["running"],
        total=counted["total"],
        failed_passages=failed_passages(actor, base).count(),
    )


def readable_documents(base: KnowledgeBase) -> QuerySet[Document]:
    """Return the documents of a base out of which a graph is read."""
    return Document.objects.filter(
        base=base, state=DocumentState.COMPLETED, trashed_at__isnull=True
    ).exclude(source__in=UNLISTED_SOURCES)


def unread_passages(base: KnowledgeBase) -> int:
    """Count the passages of a base that were never read for its graph, or failed."""
    read = GraphPassage.objects.filter(chunk_id=OuterRef("pk"), error="")
    rows = Chunk.objects.filter(
        document__in=readable_documents(base).values("pk"),
        kind=ChunkKind.TEXT,
        is_enabled=True,
        char_end__gte=F("char_start") + SHORTEST_PASSAGE,
    )
    return rows.filter(~Exists(read)).order_by().count()


def _whole(actor: Actor, base: KnowledgeBase) -> Searched:
    return resolve(actor, Scope(base_ids=(base.pk,)))


def _lines(where: Searched, ids: Collection[UUID]) -> tuple[Line, ...]:
    rows = (
        evidence_in(where)
        .filter(relation__source_id__in=ids, relation__target_id__in=ids)
        .order_by()
        .values("relation_id", "relation__source_id", "relation__target_id", "relation__kind")
        .annotate(passages=Count("pk"))
        .order_by("-passages", "relation_id")[:MOST_LINES]
    )
    return tuple(
        Line(
            source_id=row["relation__source_id"],
            target_id=row["relation__target_id"],
            kind=row["relation__kind"],
            passages=row["passages"],
        )
        for row in rows
    )


def _neighbours(where: Searched, entity_id: UUID) -> tuple[Neighbour, ...]:
    rows = list(
        evidence_in(where)
        .filter(Q(relation__source_id=entity_id) | Q(relation__target_id=entity_id))
        .order_by()
        .values("relation_id", "relation__source_id", "relation__target_id", "relation__kind")
        .annotate(passages=Count("pk"))
        .order_by("-passages", "relation_id")[:MOST_RELATIONS]
    )
    others = {
        row["relation_id"]: row["relation__target_id"]
        if row["relation__source_id"] == entity_id
        else row["relation__source_id"]
        for row in rows
    }
    names = names_of(where, set(others.values()))
    return tuple(
        Neighbour(
            id=others[row["relation_id"]],
            name=names.get(others[row["relation_id"]], ""),
            kind=row["relation__kind"],
            is_outward=row["relation__source_id"] == entity_id,
            passages=row["passages"],
        )
        for row in rows
    )
