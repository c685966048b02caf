"""Contexts of the page of a base's graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.urls import reverse

from accounts.access import Actor
from knowledge.base_settings import base_settings_of
from knowledge.enrich.asking import no_model_reason
from knowledge.graph.extraction import Extraction
from knowledge.graph.queries import (
    EntityDetail,
    Node,
    Overview,
    failed_passages,
    overview,
    progress,
    unread_passages,
)
from knowledge.models import Chunk, Document, GraphMention, KnowledgeBase
from knowledge.pages.labels import page_label
from knowledge.stored_reasons import told
from knowledge.text.pictures import without_references

ROWS_A_PAGE = 50
EVIDENCE_A_PAGE = 20
SHOWN_FAILURES = 50
COLOURED_KINDS = 5
_EXCERPT = 240


@dataclass(frozen=True, kw_only=True)
class EntityRow:
    """A row of the list."""

    name: str
    kind: str
    passages: int
    relations: int
    url: str


@dataclass(frozen=True, kw_only=True)
class Source:
    """A passage with a link to it."""

    document: str
    location: str
    url: str
    text: str
    reason: str = ""


def graph_context(
    actor: Actor, base: KnowledgeBase, *, kind: str, text: str, page: str
) -> dict[str, Any]:
    """Return what `_graph.html` takes."""
    found = overview(actor, base, kind=kind, text=text)
    colours = _colours(found)
    degree = Counter(end for each in found.lines for end in (each.source_id, each.target_id))
    rows = [_row(base, node, degree[node.id]) for node in found.nodes]
    listed = Paginator(rows, ROWS_A_PAGE).get_page(page)
    return {
        "graph_data": _drawn(base, found, colours),
        "legend": list(colours),
        "kinds": found.kinds,
        "kind": kind,
        "text": text,
        "total": found.total,
        "drawn": len(found.nodes),
        "rows": listed.object_list,
        "page_obj": listed,
        "is_narrowed": bool(kind or text),
    }


def state_context(actor: Actor, base: KnowledgeBase, *, may_change: bool) -> dict[str, Any]:
    """Return what `_graph_state.html` takes."""
    far = progress(actor, base)
    is_on = base_settings_of(base).graph.is_enabled
    return {
        "is_on": is_on,
        "progress": far,
        "unread": unread_passages(base) if may_change and is_on else 0,
        "no_model": no_model_reason(base.space_id) if may_change and is_on else "",
    }


def failures(actor: Actor, base: KnowledgeBase) -> list[Source]:
    """Return the first passages of which nothing could be read, with the reasons."""
    rows = failed_passages(actor, base)[:SHOWN_FAILURES]
    return [_source(row.chunk, row.document, reason=told(row.error)) for row in rows]


def entity_context(base: KnowledgeBase, detail: EntityDetail, *, page: str) -> dict[str, Any]:
    """Return what `_graph_entity.html` takes."""
    listed: Page[GraphMention] = Paginator(detail.evidence, EVIDENCE_A_PAGE).get_page(page)
    return {
        "node": detail.node,
        "entity_url": _url(base, detail.node.id),
        "descriptions": detail.descriptions,
        "neighbours": [
            {"relation": each, "url": _url(base, each.id)} for each in detail.neighbours
        ],
        "sources": [_source(row.chunk, row.document) for row in listed],
        "page_obj": listed,
    }


def preview_rows(found: Extraction) -> dict[str, Any]:
    """Return what the preview shows of what was read out of a text."""
    names = {each.normal: each.name for each in found.entities}
    return {
        "entities": found.entities,
        "relations": [
            {
                "source": names[each.source],
                "kind": each.kind,
                "target": names[each.target],
                "description": each.description,
            }
            for each in found.relations
        ],
        "left_out": found.left_out,
    }


def _drawn(
    base: KnowledgeBase, found: Overview, colours: dict[str, int]
) -> dict[str, list[dict[str, Any]]]:
    """Return what `js/graph.js` draws: nodes, and lines between them by their numbers."""
    numbers = {node.id: number for number, node in enumerate(found.nodes)}
    return {
        "nodes": [
            {
                "name": node.name,
                "kind": node.kind,
                "colour": colours.get(node.kind, 0),
                "passages": node.passages,
                "url": _url(base, node.id),
            }
            for node in found.nodes
        ],
        "lines": [
            {
                "from": numbers[line.source_id],
                "to": numbers[line.target_id],
                "kind": line.kind,
            }
            for line in found.lines
        ],
    }


def _colours(found: Overview) -> dict[str, int]:
    """Return the kinds that have a colour, the most frequent first, each with its number from 1."""
    frequent = Counter(node.kind for node in found.nodes if node.kind).most_common(COLOURED_KINDS)
    return {kind: number for number, (kind, _) in enumerate(frequent, 1)}


def _row(base: KnowledgeBase, node: Node, relations: int) -> EntityRow:
    return EntityRow(
        name=node.name,
        kind=node.kind,
        passages=node.passages,
        relations=relations,
        url=_url(base, node.id),
    )


def _url(base: KnowledgeBase, entity_id: UUID) -> str:
    return reverse("base_graph_entity", args=[base.pk, entity_id])


def _source(chunk: Chunk, document: Document, *, reason: str = "") -> Source:
    line = " ".join(without_references(chunk.text).split())
    address = reverse("document", args=[document.pk])
    where: Sequence[str] = [page_label(chunk.page_from, chunk.page_to), *chunk.heading_path[-1:]]
    return Source(
        document=document.name,
        location=" · ".join(part for part in where if part),
        url=f"{address}?chunk={chunk.pk}#chunk-{chunk.pk}",
        text=line if len(line) <= _EXCERPT else line[: _EXCERPT - 1].rstrip() + "…",
        reason=reason,
    )
