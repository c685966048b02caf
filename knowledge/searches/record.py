"""Writes down each search that a door makes. The search itself never fails by it.

The doors call it when they have their result, so that a search inside of another (two settings side
by side, an evaluation) is what its door says it is.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.conf import settings as site
from django.db import DatabaseError, transaction

from accounts.access import Actor, visible
from core.jsonvalues import storable, storable_text
from core.tenancy import space_scope
from knowledge.constants import SearchDoor
from knowledge.models import KnowledgeBase, SearchRecord
from knowledge.retrieval.hits import Retrieval
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings, effective
from knowledge.searches.losses import count_loss
from knowledge.sharing.parts import parts_of

logger = logging.getLogger(__name__)
MOST_CANDIDATES = 200


def record_search(
    actor: Actor,
    *,
    door: SearchDoor,
    scope: Scope,
    found: Retrieval,
    settings: RetrievalSettings | None = None,
    run_id: UUID | None = None,
    given: Collection[UUID] | None = None,
) -> UUID | None:
    """Keep a search for `SEARCH_DAYS`; return its id, None where none is kept.

    What cannot be written is logged and counted, and the search goes on.

    Args:
        actor: who searched; the record belongs to their space.
        door: through which door.
        scope: where they wished to search.
        found: the result.
        settings: what the caller wished.
        run_id: the run of an agent that searched.
        given: the passages that a model got to read; None where none was asked.
    """
    if site.SEARCH_DAYS == 0:
        return None
    try:
        with transaction.atomic(), space_scope(actor.space_id):
            row = _row_of(actor, scope=scope, found=found, settings=settings, given=given)
            row.door, row.run_id = door, run_id
            row.save(force_insert=True)
    except (DatabaseError, ValueError, TypeError):
        logger.exception("A search of space %s could not be recorded", actor.space_id)
        count_loss(actor.space_id)
        return None
    return row.pk


def _row_of(
    actor: Actor,
    *,
    scope: Scope,
    found: Retrieval,
    settings: RetrievalSettings | None,
    given: Collection[UUID] | None,
) -> SearchRecord:
    bases = _searched(actor, scope)
    is_person = actor.user_id is not None and not actor.is_machine
    wished = {} if settings is None else asdict(settings)
    dump = found.to_json()
    return SearchRecord(
        space_id=actor.space_id,
        user_id=actor.user_id if is_person else None,
        principal="" if is_person else actor.principal[:80],
        base_ids=[base.pk for base in bases],
        question=storable_text(found.query),
        settings={
            "wished": _plain({name: each for name, each in wished.items() if each is not None}),
            "effective": effective(settings, bases).model_dump(mode="json"),
        },
        scope=_plain({name: each for name, each in asdict(scope).items() if name != "base_ids"}),
        confident=found.confident,
        hits=_hits(found, given),
        hit_count=len(found.hits),
        trace=_bounded(storable(dump["trace"])),
        timings=found.timings_ms,
        warnings=storable(dump["warnings"]),
    )


def _searched(actor: Actor, scope: Scope) -> list[KnowledgeBase]:
    """Return the bases that the search looked into, those of other spaces too."""
    found: list[KnowledgeBase] = []
    for part in parts_of(actor, scope):
        with space_scope(part.reader.space_id):
            rows = visible(part.reader, "view", KnowledgeBase.objects.all())
            if part.scope.base_ids is not None:
                rows = rows.filter(pk__in=part.scope.base_ids)
            found += rows.order_by("pk")
    return found


def _hits(found: Retrieval, given: Collection[UUID] | None) -> list[dict[str, Any]]:
    return [
        {
            "rank": hit.rank,
            "chunk_id": str(hit.chunk_id),
            "document_id": str(hit.document_id),
            "content_hash": hit.content_hash,
            "score": round(hit.score, 4),
            "given": None if given is None else hit.chunk_id in given,
        }
        for hit in found.hits
    ]


def _bounded(trace: dict[str, Any]) -> dict[str, Any]:
    """Keep the best candidates: the hits of all spaces, then what was dropped."""
    candidates: Sequence[dict[str, Any]] = trace["candidates"]
    if len(candidates) <= MOST_CANDIDATES:
        return trace
    hits_first = sorted(candidates, key=lambda each: each["final_rank"] is None)
    return {**trace, "candidates": hits_first[:MOST_CANDIDATES], "left_out": len(candidates)}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    return value if isinstance(value, bool | int | float | str | None) else str(value)
