"""The place where a search by entities joins: `knowledge.graph` registers it when it is there.

A registry, because the graph is built of what retrieval finds: retrieval must not import it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from django.utils.translation import gettext as _

from core.errors import ProjectError
from knowledge.retrieval.scope import Searched
from providers.contracts.errors import ModelError


class GraphHit(Protocol):
    """A passage that is near the entities of a question."""

    @property
    def chunk_id(self) -> UUID:
        """The passage."""
        ...

    @property
    def document_id(self) -> UUID:
        """Its document."""
        ...

    @property
    def position(self) -> int:
        """Its place in the document."""
        ...

    @property
    def score(self) -> float:
        """How near: 0..1."""
        ...


class GraphSearch(Protocol):
    """Finds passages through entities and their relations."""

    def __call__(
        self, where: Searched, question: str, *, limit: int, hops: int
    ) -> Sequence[GraphHit]:
        """Return at most `limit` permitted passages, best first."""
        ...


@dataclass(frozen=True, kw_only=True)
class GraphList:
    """What the graph named, best first."""

    scores: dict[UUID, float]
    """By passage, 0..1, in the order of rank."""
    warnings: tuple[str, ...] = ()


_registered: list[GraphSearch] = []


def register_graph_search(search: GraphSearch | None) -> None:
    """Make this the graph's search; None: there is no graph."""
    _registered[:] = [] if search is None else [search]


def search_graph(where: Searched, question: str, *, limit: int, hops: int) -> GraphList:
    """Return what the registered search names; nothing where there is none.

    A score that is no number counts as 0; a failure makes the search worse, not impossible.
    """
    if not _registered:
        return GraphList(scores={})
    try:
        found = _registered[0](where, question, limit=limit, hops=hops)
    except (ProjectError, ModelError) as error:
        failed = _("The graph could not be searched: %(detail)s") % {"detail": error.message}
        return GraphList(scores={}, warnings=(failed,))
    best: dict[UUID, float] = {}
    for hit in sorted(found, key=lambda each: (str(each.document_id), each.position)):
        score = min(1.0, max(0.0, hit.score)) if math.isfinite(hit.score) else 0.0
        best[hit.chunk_id] = max(score, best.get(hit.chunk_id, 0.0))
    # Sorting keeps the order of document and position among equal ones.
    ranked = sorted(best.items(), key=lambda item: -item[1])
    return GraphList(scores=dict(ranked[:limit]))
