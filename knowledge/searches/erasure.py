"""What is erased of recorded searches: a person's own, and every trace of an erased document."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from accounts.platform.erasure import Counts, Subject, register_eraser
from knowledge.models import SearchRecord

_BATCH = 200


@register_eraser("person", name="knowledge.searches")
def erase_searches_of_person(subject: Subject) -> Counts:
    """Erase what a person searched for, in every space."""
    rows = SearchRecord.objects.filter(user_id=int(subject.id))
    return {"knowledge.SearchRecord": rows.delete()[0]}


@register_eraser("space", name="knowledge.searches")
def erase_searches_of_space(subject: Subject) -> Counts:
    """Erase the searches of a space's people."""
    rows = SearchRecord.objects.filter(space_id=int(subject.id))
    return {"knowledge.SearchRecord": rows.delete()[0]}


@register_eraser("document", name="knowledge.searches")
def forget_document(subject: Subject) -> Counts:
    """Take a document out of what was found and of what narrowed a search; the question stays."""
    changed = 0
    for row in _naming(subject.id).iterator(chunk_size=_BATCH):
        candidates = row.trace.get("candidates", [])
        changed += SearchRecord.objects.filter(pk=row.pk).update(
            hits=_without(row.hits, subject.id),
            trace={**row.trace, "candidates": _without(candidates, subject.id)},
            scope={name: _unnamed(value, subject.id) for name, value in row.scope.items()},
        )
    return {"knowledge.SearchRecord (candidates)": changed}


def _naming(document_id: str) -> QuerySet[SearchRecord]:
    named = [{"document_id": document_id}]
    return SearchRecord.objects.filter(
        Q(hits__contains=named)
        | Q(trace__contains={"candidates": named})
        | Q(scope__contains={"document_ids": [document_id]})
    )


def _without(rows: list[dict[str, Any]], document_id: str) -> list[dict[str, Any]]:
    return [each for each in rows if each.get("document_id") != document_id]


def _unnamed(value: Any, document_id: str) -> Any:
    return [each for each in value if each != document_id] if isinstance(value, list) else value
