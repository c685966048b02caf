"""Searching over bases of several spaces: once in each, merged by score."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import UUID

from accounts.access import Actor
from core.tenancy import space_scope
from knowledge.models import Chunk
from knowledge.retrieval.grep import grep
from knowledge.retrieval.hits import Retrieval, RetrievalHit, RetrievalTrace
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings, effective
from knowledge.sharing.parts import Part, parts_of


def retrieve_shared(
    actor: Actor,
    *,
    query: str,
    scope: Scope,
    settings: RetrievalSettings | None = None,
    settings_of: int | None = None,
) -> Retrieval:
    """Return what `retrieve` returns, also of bases that other spaces opened to the actor.

    A shared base is searched with the models of the space that shares it, as its guest; a rerank
    model that the settings name is used only in the space whose settings they are: `settings_of`,
    the actor's own without it.

    Raises:
        Invalid, NotFound: as `retrieve` has it.
    """
    parts = parts_of(actor, scope)
    home = actor.space_id if settings_of is None else settings_of
    found = [_retrieve(part, home, query, settings) for part in parts]
    if len(found) == 1:
        return found[0]
    return _merged(found, limit=effective(settings, ()).limit)


def grep_shared(actor: Actor, *, pattern: str, scope: Scope, limit: int = 20) -> list[Chunk]:
    """Return what `grep` returns, also of bases that other spaces opened to the actor.

    Raises:
        Invalid, NotFound: as `grep` has it.
    """
    found: list[Chunk] = []
    for part in parts_of(actor, scope):
        with space_scope(part.reader.space_id):
            found += grep(part.reader, pattern=pattern, scope=part.scope, limit=limit)
    found.sort(key=lambda chunk: (chunk.document.name, str(chunk.document_id), chunk.position))
    return found[:limit]


def _retrieve(
    part: Part, settings_of: int, query: str, settings: RetrievalSettings | None
) -> Retrieval:
    if part.reader.space_id != settings_of and settings is not None:
        settings = replace(settings, rerank_model_id=None)
    with space_scope(part.reader.space_id):
        return retrieve(part.reader, query=query, scope=part.scope, settings=settings)


def _merged(found: Sequence[Retrieval], *, limit: int) -> Retrieval:
    hits = sorted((hit for each in found for hit in each.hits), key=lambda hit: -hit.score)
    shown = _with_place(hits, {each.trace.language_place for each in found}, limit)
    ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(shown, 1))
    first, sure = found[0], [each.confident for each in found if each.hits]
    return replace(
        first,
        hits=ranked,
        confident=True if True in sure else None if None in sure else False,
        other_language=bool(ranked) and all(each.other_language for each in found if each.hits),
        trace=_merged_trace([each.trace for each in found]),
        timings_ms=_summed([each.timings_ms for each in found]),
        warnings=tuple(dict.fromkeys(text for each in found for text in each.warnings)),
    )


def _with_place(
    hits: Sequence[RetrievalHit], places: Collection[UUID | None], limit: int
) -> Sequence[RetrievalHit]:
    """Return the best hits; one that a space kept the place of another language for stays last."""
    kept = next((hit for hit in hits[limit:] if hit.chunk_id in places), None)
    if kept is None or limit < 2 or any(hit.chunk_id in places for hit in hits[:limit]):
        return hits[:limit]
    return [*hits[: limit - 1], kept]


def _merged_trace(traces: Sequence[RetrievalTrace]) -> RetrievalTrace:
    """Join the traces; the weights of the terms are those of the first space."""
    return replace(
        traces[0],
        passages=sum(each.passages for each in traces),
        exact=all(each.exact for each in traces),
        candidates=tuple(one for each in traces for one in each.candidates),
        language_place=next((each.language_place for each in traces if each.language_place), None),
    )


def _summed(timings: Sequence[dict[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for each in timings:
        for stage, milliseconds in each.items():
            total[stage] = total.get(stage, 0.0) + milliseconds
    return total
