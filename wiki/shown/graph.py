"""The graph of links: a picture, and a list that says the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.urls import reverse

from accounts.access import Actor
from knowledge.models import KnowledgeBase
from wiki.constants import PageKind
from wiki.graph import MOST_DEPTH, MOST_NODES, LinkGraph, Node, ego_graph, overview_graph
from wiki.models import WikiPage
from wiki.rendering import page_url

ROWS_A_PAGE = 50
LIMITS = (100, 500, 1000, MOST_NODES)
COLOURS = {kind: number for number, kind in enumerate(PageKind.values, 1)}
"""Of a kind, from 1 to 6: see `js/wiki-graph.js`."""


@dataclass(frozen=True, kw_only=True)
class NodeRow:
    """A page in the list."""

    title: str
    kind: str
    links: int
    url: str
    around: str


def graph_context(
    actor: Actor,
    base: KnowledgeBase,
    *,
    center: WikiPage | None,
    depth: int,
    kinds: Sequence[str],
    limit: int,
    at: str,
) -> dict[str, Any]:
    """Return what `wiki/graph.html` takes but the head."""
    found = (
        ego_graph(actor, center, depth=depth, kinds=kinds, limit=limit)
        if center
        else overview_graph(actor, base.pk, kinds=kinds, limit=limit)
    )
    nodes = found.nodes
    rows = Paginator([_row(base, node) for node in nodes], ROWS_A_PAGE).get_page(at)
    shown = {node.kind for node in nodes}
    return {
        "graph_data": _drawn(base, nodes, found),
        "legend": [
            {"label": label, "colour": COLOURS[value]}
            for value, label in PageKind.choices
            if value in shown
        ],
        "center": center,
        "depth": depth,
        "depths": range(1, MOST_DEPTH + 1),
        "limit": limit,
        "limits": LIMITS,
        "kinds": kinds,
        "kind_choices": PageKind.choices,
        "total": found.total,
        "drawn": len(nodes),
        "is_truncated": found.is_truncated,
        "rows": rows.object_list,
        "page_obj": rows,
    }


def _drawn(base: KnowledgeBase, nodes: Sequence[Node], found: LinkGraph) -> dict[str, Any]:
    numbers = {node.id: number for number, node in enumerate(nodes)}
    card = reverse("wiki_graph_card", args=[base.pk])
    return {
        "nodes": [
            {
                "name": node.title,
                "colour": COLOURS.get(node.kind, 0),
                "links": node.links,
                "card": f"{card}?page={node.id}",
                "around": _around(base, node),
            }
            for node in nodes
        ],
        "lines": [
            {"from": numbers[one], "to": numbers[other]}
            for one, other in found.edges
            if one in numbers and other in numbers
        ],
    }


def _around(base: KnowledgeBase, node: Node) -> str:
    return f"{reverse('wiki_graph', args=[base.pk])}?{urlencode({'center': node.slug})}"


def _row(base: KnowledgeBase, node: Node) -> NodeRow:
    return NodeRow(
        title=node.title,
        kind=str(PageKind(node.kind).label),
        links=node.links,
        url=page_url(base.pk, node.slug),
        around=_around(base, node),
    )
