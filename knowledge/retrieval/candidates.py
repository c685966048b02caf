"""Joins what both searches found into candidates with all that the next steps need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from knowledge.models import Chunk
from knowledge.retrieval.dense import DenseHit, QueryVector, scores_of
from knowledge.retrieval.fuse import Candidate, Span
from knowledge.retrieval.keyword import WeighedTerms, terms_of
from knowledge.retrieval.scope import Searched


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The union of both searches."""

    candidates: tuple[Candidate, ...]
    chunks: Mapping[UUID, Chunk]
    """Their rows, with their documents."""
    spans: Mapping[str, Span]

    @property
    def texts(self) -> dict[UUID, str]:
        """The passages' texts."""
        return {chunk_id: chunk.text for chunk_id, chunk in self.chunks.items()}

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
) -> Candidates:
    """Read the rows of all that was found; who may see them is asked again with the same query."""
    nearest = {hit.chunk_id: hit for hit in reversed(dense)}
    keyword_ranks = {chunk_id: rank for rank, chunk_id in enumerate(keyword, 1)}
    ids = list(dict.fromkeys([*nearest, *keyword]))
    chunks = {row.pk: row for row in where.chunks.filter(pk__in=ids).select_related("document")}
    only_keyword = [chunk_id for chunk_id in keyword if chunk_id not in nearest]
    scores = {
        chunk_id: (vector.identity, score)
        for vector in vectors
        for chunk_id, score in scores_of(vector, only_keyword).items()
    }
    scores |= {chunk_id: (hit.identity, hit.score) for chunk_id, hit in nearest.items()}
    words = terms_of(ids)
    candidates = []
    for chunk_id, chunk in chunks.items():
        identity, score = scores.get(chunk_id, (None, None))
        hit = nearest.get(chunk_id)
        have = words.get(chunk_id, frozenset())
        candidates.append(
            Candidate(
                chunk_id=chunk_id,
                document_id=chunk.document_id,
                position=chunk.position,
                identity=identity,
                dense_score=score,
                dense_rank=hit.rank if hit else None,
                keyword_rank=keyword_ranks.get(chunk_id),
                keyword_score=terms.coverage(have),
                terms=have,
            )
        )
    return Candidates(candidates=tuple(candidates), chunks=chunks, spans=_spans(dense))


def _spans(dense: Sequence[DenseHit]) -> dict[str, Span]:
    by_identity: dict[str, list[float]] = {}
    for hit in dense:
        by_identity.setdefault(hit.identity, []).append(hit.score)
    return {
        identity: Span(low=min(scores), high=max(scores))
        for identity, scores in by_identity.items()
    }
