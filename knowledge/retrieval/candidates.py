"""Joins what all searches found into candidates with all that the next steps need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from uuid import UUID

from knowledge.constants import ChunkKind
from knowledge.models import Chunk
from knowledge.retrieval.dense import DenseHit, QueryVector, scores_of
from knowledge.retrieval.fuse import Candidate, Span
from knowledge.retrieval.keyword import WeighedTerms, terms_of
from knowledge.retrieval.scope import Searched
from knowledge.text.pictures import without_references

LEADING_KINDS = frozenset(
    {
        ChunkKind.QUESTION,
        ChunkKind.SUMMARY,
        ChunkKind.TABLE_SUMMARY,
        ChunkKind.TABLE_COLUMN,
        ChunkKind.PICTURE_TEXT,
        ChunkKind.PICTURE_CAPTION,
    }
)
"""Found in place of the passage that they lead to."""


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The union of all searches."""

    candidates: tuple[Candidate, ...]
    chunks: Mapping[UUID, Chunk]
    """Their rows, with their documents."""
    spans: Mapping[str, Span]

    @property
    def texts(self) -> dict[UUID, str]:
        """The passages' texts as a model reads them."""
        return {chunk_id: without_references(chunk.text) for chunk_id, chunk in self.chunks.items()}

    @property
    def hashes(self) -> dict[UUID, str]:
        """The hashes of the passages' texts."""
        return {chunk_id: chunk.content_hash for chunk_id, chunk in self.chunks.items()}


def load_candidates(
    where: Searched,
    *,
    dense: Sequence[DenseHit],
    keyword: Sequence[UUID],
    vectors: Sequence[QueryVector],
    terms: WeighedTerms,
    graph: Mapping[UUID, float] = MappingProxyType({}),
) -> Candidates:
    """Read the rows of all that was found; who may see them is asked again with the same query.

    A text that was made of a passage (a question, a summary) is never read itself: it leads to its
    passage, which then has the better of both scores, or to nothing where that is switched off.
    """
    nearest = {hit.chunk_id: hit for hit in reversed(dense)}
    keyword_ranks = {chunk_id: rank for rank, chunk_id in enumerate(keyword, 1)}
    graph_ranks = {chunk_id: rank for rank, chunk_id in enumerate(graph, 1)}
    ids = list(dict.fromkeys([*nearest, *keyword, *graph]))
    found = {row.pk: row for row in where.chunks.filter(pk__in=ids).select_related("document")}
    leads = {pk: row.parent_id for pk, row in found.items() if row.kind in LEADING_KINDS}
    chunks = {pk: row for pk, row in found.items() if pk not in leads}
    chunks |= _passages(where, set(leads.values()) - set(chunks))
    elsewhere = [chunk_id for chunk_id in ids if chunk_id not in nearest]
    scores = {
        chunk_id: (vector.identity, score)
        for vector in vectors
        for chunk_id, score in scores_of(vector, elsewhere).items()
    }
    scores |= {chunk_id: (hit.identity, hit.score) for chunk_id, hit in nearest.items()}
    words = terms_of([*ids, *(chunk_id for chunk_id in chunks if chunk_id not in found)])
    by_passage: dict[UUID, list[Candidate]] = {}
    for chunk_id in found:
        chunk = chunks.get(leads.get(chunk_id) or chunk_id)
        if chunk is None:
            continue
        identity, score = scores.get(chunk_id, (None, None))
        hit = nearest.get(chunk_id)
        by_passage.setdefault(chunk.pk, []).append(
            Candidate(
                chunk_id=chunk.pk,
                document_id=chunk.document_id,
                position=chunk.position,
                identity=identity,
                dense_score=score,
                dense_rank=hit.rank if hit else None,
                keyword_rank=keyword_ranks.get(chunk_id),
                keyword_score=terms.coverage(words.get(chunk_id, frozenset())),
                terms=words.get(chunk.pk, frozenset()),
                graph_rank=graph_ranks.get(chunk_id),
                graph_score=graph.get(chunk_id),
            )
        )
    candidates = tuple(_best(same) for same in by_passage.values())
    kept = {pk: row for pk, row in chunks.items() if pk in by_passage}
    return Candidates(candidates=candidates, chunks=kept, spans=_spans(dense))


def _passages(where: Searched, ids: set[UUID | None]) -> dict[UUID, Chunk]:
    """Read passages that only what was made of them found, if they may be found, too."""
    if not ids:
        return {}
    rows = where.chunks.filter(pk__in=[pk for pk in ids if pk]).select_related("document")
    return {row.pk: row for row in rows}


def _best(same: Sequence[Candidate]) -> Candidate:
    """Join what found one passage: its best rank and score of each search."""
    if len(same) == 1:
        return same[0]
    dense = max(same, key=lambda each: (each.dense_score is not None, each.dense_score or 0.0))
    dense_ranks = [each.dense_rank for each in same if each.dense_rank is not None]
    keyword_ranks = [each.keyword_rank for each in same if each.keyword_rank is not None]
    graph_ranks = [each.graph_rank for each in same if each.graph_rank is not None]
    graph_scores = [each.graph_score for each in same if each.graph_score is not None]
    return replace(
        dense,
        dense_rank=min(dense_ranks, default=None),
        keyword_rank=min(keyword_ranks, default=None),
        keyword_score=max(each.keyword_score for each in same),
        graph_rank=min(graph_ranks, default=None),
        graph_score=max(graph_scores, default=None),
    )


def _spans(dense: Sequence[DenseHit]) -> dict[str, Span]:
    by_identity: dict[str, list[float]] = {}
    for hit in dense:
        by_identity.setdefault(hit.identity, []).append(hit.score)
    return {
        identity: Span(low=min(scores), high=max(scores))
        for identity, scores in by_identity.items()
    }
