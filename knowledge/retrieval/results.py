"""Makes hits of the passages that were found: what is read, and what a citation needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from knowledge.constants import DocumentSource
from knowledge.faq.answers import choose_answers
from knowledge.models import Chunk
from knowledge.retrieval.expand import read_contexts
from knowledge.retrieval.fuse import Ranked
from knowledge.retrieval.hits import RetrievalHit
from knowledge.retrieval.scope import Searched
from knowledge.text.pictures import without_references


def make_hits(
    where: Searched,
    ranked: Sequence[Ranked],
    chunks: Mapping[UUID, Chunk],
    *,
    rerank_scores: Mapping[UUID, float],
    neighbours: int,
) -> tuple[RetrievalHit, ...]:
    """Return the hits in the order of `ranked`."""
    rows = [chunks[each.candidate.chunk_id] for each in ranked]
    contexts = read_contexts(where, rows, neighbours=neighbours)
    chosen = choose_answers(rows)
    return tuple(
        RetrievalHit(
            rank=rank,
            chunk_id=chunk.pk,
            document_id=chunk.document_id,
            document_name=chunk.document.name,
            base_id=chunk.base_id,
            text=without_references(chosen.get(chunk.pk, chunk.text)),
            context=without_references(chosen.get(chunk.pk) or contexts.get(chunk.pk, chunk.text)),
            marked_text=chosen.get(chunk.pk, chunk.text),
            heading_path=tuple(chunk.heading_path),
            page_from=chunk.page_from,
            page_to=chunk.page_to,
            position=chunk.position,
            content_hash=chunk.content_hash,
            document_revision=chunk.document_revision,
            score=each.score,
            dense_score=each.candidate.dense_score,
            keyword_score=each.candidate.keyword_score,
            rerank_score=rerank_scores.get(chunk.pk),
            is_wiki=chunk.document.source == DocumentSource.WIKI,
        )
        for rank, (each, chunk) in enumerate(zip(ranked, rows, strict=True), 1)
    )
