"""How much passages of a kind count: entries of questions and answers, pages of the wiki."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from knowledge.base_settings import RetrievalOptions
from knowledge.constants import ChunkKind, DocumentSource
from knowledge.models import Chunk
from knowledge.retrieval.fuse import Ranked, order_of


def weigh_kinds(
    ranked: Sequence[Ranked], chunks: Mapping[UUID, Chunk], options: RetrievalOptions
) -> list[Ranked]:
    """Return the candidates in the order of their weighed scores, which stay within 1.

    Those that meet at 1 keep the order that they had.
    """
    if options.faq_weight == options.wiki_weight == 1:
        return list(ranked)
    weighed = [(each, each.score * _weight(chunks, each, options)) for each in ranked]
    weighed.sort(key=lambda pair: (-pair[1], order_of(pair[0])))
    return [replace(each, score=min(1.0, score)) for each, score in weighed]


def _weight(chunks: Mapping[UUID, Chunk], each: Ranked, options: RetrievalOptions) -> float:
    chunk = chunks[each.candidate.chunk_id]
    if chunk.kind == ChunkKind.FAQ:
        return options.faq_weight
    return options.wiki_weight if chunk.document.source == DocumentSource.WIKI else 1.0
