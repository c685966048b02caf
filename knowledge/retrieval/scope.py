"""Where a search may look: the wish of the caller, cut down to what the actor may see."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db.models import Q, QuerySet, Sum
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import Invalid, NotFound
from knowledge.access.walls import closed_walls
from knowledge.faq.negative import entries_refusing
from knowledge.models import Chunk, Document, KeywordRow, KnowledgeBase
from knowledge.retrieval.filter_values import Filter
from knowledge.retrieval.filters import document_condition

_NOTHING = "SELECT NULL::uuid AS id, NULL::uuid AS document_id, 0 AS position WHERE false"


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Which bases and documents to search. An empty tuple means none, None means no limit."""

    base_ids: tuple[UUID, ...] | None = None
    """None: every base that the actor sees."""
    document_ids: tuple[UUID, ...] | None = None
    """Only these documents, as far as they lie in the bases."""
    whole_base_ids: tuple[UUID, ...] = ()
    """Beside `document_ids`: bases of the scope that are searched whole all the same."""
    filter: Filter | None = None
    """What the documents must be like; None: anything."""
    strict: bool = True
    """Whether an id that the actor may not see raises NotFound, and a filter that cannot be used
    Invalid. Set False for stored lists (an agent's bases), of which something may be gone: it then
    selects nothing and a warning is given."""


@dataclass(frozen=True, kw_only=True)
class Searched:
    """A scope as the actor has it. Made by `resolve` only."""

    bases: tuple[KnowledgeBase, ...]
    chunks: QuerySet[Chunk]
    """What may be found: seen by the actor, in the scope, enabled, of a searchable document."""
    document_chunks: int | None
    """At most so many chunks when the scope names or filters documents; None when it does not."""
    closed: QuerySet[KeywordRow] | None = None
    """What the bases hold behind walls: the actor's figures are counted without it. None: nothing
    can be closed to the actor."""
    warnings: tuple[str, ...] = ()

    @property
    def base_ids(self) -> list[UUID]:
        """The bases' ids."""
        return [base.pk for base in self.bases]

    def permitted_sql(self) -> tuple[str, tuple[Any, ...]]:
        """Return a query of the permitted chunks: id, document_id, position; each chunk once.

        It is put into a larger one. An index has all of it (migration `index_permitted_chunks`), so
        that the passages' texts are not read.
        """
        rows = self.chunks.order_by().values_list("id", "document_id", "position")
        try:
            sql, params = rows.query.sql_with_params()
        except EmptyResultSet:  # Django saw without asking that nothing is permitted
            return _NOTHING, ()
        return sql, tuple(params)


def resolve(actor: Actor, scope: Scope, *, question: str = "") -> Searched:
    """Return what the actor may search of `scope`, but for entries that refuse this very question.

    Raises:
        NotFound: the scope is strict and names a base or document that the actor may not see.
        Invalid: the scope is strict and its filter cannot be used.
    """
    bases = visible(actor, "view", KnowledgeBase.objects.select_related("embedding_model"))
    warnings: list[str] = []
    if scope.base_ids is not None:
        bases = bases.filter(pk__in=scope.base_ids)
    found = tuple(bases.order_by("pk"))
    if scope.base_ids is not None:
        warnings += _missing(scope, "base", scope.base_ids, {base.pk for base in found})
    chunks = visible(
        actor,
        "view",
        Chunk.objects.filter(
            base_id__in=[base.pk for base in found],
            is_enabled=True,
            document__searchable_at__isnull=False,
        ),
    )
    refusing = entries_refusing(question, found)
    if refusing:
        chunks = chunks.exclude(faq_entry_id__in=refusing)
    document_chunks = None
    if scope.document_ids is not None:
        documents = visible(actor, "view", Document.objects.filter(pk__in=scope.document_ids))
        sizes = dict(documents.values_list("pk", "chunk_count"))
        warnings += _missing(scope, "document", scope.document_ids, set(sizes))
        whole = [base.pk for base in found if base.pk in scope.whole_base_ids]
        document_chunks = sum(sizes.values()) + _chunks_of(actor, whole)
        chunks = chunks.filter(Q(document_id__in=sizes) | Q(base_id__in=whole))
        found = found if sizes or whole else ()
    if scope.filter is not None:
        fitting, told = _fitting(actor, scope, scope.filter, found)
        warnings += told
        if fitting is None:
            found, chunks = (), chunks.none()
        else:
            size = fitting.aggregate(total=Sum("chunk_count"))["total"] or 0
            document_chunks = size if document_chunks is None else min(size, document_chunks)
            chunks = chunks.filter(document_id__in=fitting.order_by().values("pk"))
    return Searched(
        bases=found,
        chunks=chunks,
        document_chunks=document_chunks,
        closed=_closed(actor, found),
        warnings=tuple(warnings),
    )


def _fitting(
    actor: Actor, scope: Scope, wanted: Filter, bases: Collection[KnowledgeBase]
) -> tuple[QuerySet[Document] | None, list[str]]:
    """Return the documents that a filter selects; None and a warning where it cannot be used."""
    try:
        condition = document_condition(wanted)
    except Invalid as refusal:
        if scope.strict:
            raise
        return None, [_("Nothing was searched. %(detail)s") % {"detail": refusal.message}]
    rows = Document.objects.filter(condition, base_id__in=[base.pk for base in bases])
    return visible(actor, "view", rows), []


def _closed(actor: Actor, bases: Collection[KnowledgeBase]) -> QuerySet[KeywordRow] | None:
    walls = closed_walls(actor)
    if walls is None:
        return None
    inside = walls.filter(restriction__base__in=bases).values("document_id")
    return KeywordRow.objects.filter(chunk__document__in=inside)


def _chunks_of(actor: Actor, base_ids: Collection[UUID]) -> int:
    """Return how many chunks the documents of whole bases have."""
    if not base_ids:
        return 0
    documents = visible(actor, "view", Document.objects.filter(base_id__in=base_ids))
    return documents.aggregate(total=Sum("chunk_count"))["total"] or 0


def _missing(
    scope: Scope, kind: str, wanted: Collection[UUID], found: Collection[UUID]
) -> list[str]:
    """Return a warning about ids that are gone; which ones would tell what the actor may not know."""
    missing = len(set(wanted) - set(found))
    if not missing:
        return []
    if scope.strict:
        raise NotFound(f"There is no such {'knowledge base' if kind == 'base' else kind}.")
    return [f"{missing} of the {kind}s to search cannot be seen or are gone."]
