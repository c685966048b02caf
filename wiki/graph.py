"""The graph of a wiki's links: the most linked pages, or what lies around one page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet

from accounts.access import Actor
from wiki.models import WikiLink, WikiPage
from wiki.queries import published_pages

OVERVIEW_LIMIT, MOST_NODES = 500, 2000
MOST_DEPTH = 3


@dataclass(frozen=True, kw_only=True)
class Node:
    """A page."""

    id: UUID
    slug: str
    title: str
    kind: str
    links: int
    """Pages of the whole wiki that it is linked with, in either direction, doubles counted."""


@dataclass(frozen=True, kw_only=True)
class LinkGraph:
    """Pages and the links between them."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[UUID, UUID], ...]
    """From, to."""
    total: int
    """Pages there are, of the kinds asked for; in an ego graph those within reach."""

    @property
    def returned(self) -> int:
        """Pages that are here."""
        return len(self.nodes)

    @property
    def is_truncated(self) -> bool:
        """Whether there are more than are here."""
        return self.total > len(self.nodes)


def overview_graph(
    actor: Actor, base_id: UUID, *, kinds: Sequence[str] = (), limit: int = OVERVIEW_LIMIT
) -> LinkGraph:
    """Return the most linked published pages, at most `MOST_NODES`."""
    rows = _pages(actor, base_id, kinds)
    size = max(1, min(limit, MOST_NODES))
    degrees = _degrees(rows)
    known = dict(rows.order_by().values_list("pk", "title"))
    chosen = sorted(known, key=lambda pk: (-degrees.get(pk, 0), known[pk], pk))[:size]
    return _graph(chosen, degrees, total=len(known))


def ego_graph(
    actor: Actor,
    page: WikiPage,
    *,
    depth: int = 1,
    kinds: Sequence[str] = (),
    limit: int = OVERVIEW_LIMIT,
) -> LinkGraph:
    """Return the page and what is linked with it over at most `depth` links, nearest first.

    The page is there whatever its kind; other kinds than `kinds` are neither shown nor passed.
    """
    rows = _pages(actor, page.base_id, kinds)
    size = max(1, min(limit, MOST_NODES))
    allowed = set(rows.values_list("pk", flat=True)) | {page.pk}
    degrees = _degrees(rows)
    reached = [page.pk]
    level = [page.pk]
    for _step in range(max(1, min(depth, MOST_DEPTH))):
        around = (set(_neighbours(level)) & allowed).difference(reached)
        level = sorted(around, key=lambda pk: (-degrees.get(pk, 0), pk))
        reached += level
        if not level:
            break
    return _graph(reached[:size], degrees, total=len(reached))


def _pages(actor: Actor, base_id: UUID, kinds: Sequence[str]) -> QuerySet[WikiPage]:
    rows = published_pages(actor, base_id)
    return rows.filter(kind__in=kinds) if kinds else rows


def _graph(chosen: Sequence[UUID], degrees: dict[UUID, int], *, total: int) -> LinkGraph:
    found = WikiPage.objects.filter(pk__in=chosen).values_list("pk", "slug", "title", "kind")
    by_id = {
        pk: Node(id=pk, slug=slug, title=title, kind=kind, links=degrees.get(pk, 0))
        for pk, slug, title, kind in found
    }
    links = WikiLink.objects.filter(source_id__in=chosen, target_id__in=chosen)
    pairs = links.exclude(source=F("target")).values_list("source_id", "target_id").distinct()
    return LinkGraph(
        nodes=tuple(by_id[pk] for pk in chosen if pk in by_id),
        edges=tuple(sorted(pairs)),
        total=total,
    )


def _degrees(pages: QuerySet[WikiPage]) -> dict[UUID, int]:
    """Count the links of pages among each other, out and in."""
    ids = pages.order_by().values("pk")
    links = WikiLink.objects.filter(source__in=ids, target__in=ids)
    counted: dict[UUID, int] = {}
    for field in ("source_id", "target_id"):
        rows = links.exclude(source=F("target")).order_by().values_list(field)
        for pk, number in rows.annotate(Count("pk")):
            counted[pk] = counted.get(pk, 0) + number
    return counted


def _neighbours(page_ids: Sequence[UUID]) -> Iterable[UUID]:
    links = WikiLink.objects.filter(
        Q(source_id__in=page_ids) | Q(target_id__in=page_ids), target__isnull=False
    )
    for source, target in links.values_list("source_id", "target_id"):
        yield source
        if target is not None:
            yield target
