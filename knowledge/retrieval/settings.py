"""How one search is made: what the caller wishes, else what the base's owner set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from knowledge.base_settings import RetrievalOptions, base_settings_of
from knowledge.models import KnowledgeBase

RerankWish = Literal["auto", "always", "never"]
MAXIMUM_HITS = 50


@dataclass(frozen=True, kw_only=True)
class RetrievalSettings:
    """What a caller wishes; None leaves it to the base (or, over several bases, to the default)."""

    limit: int | None = None
    """Most hits, up to `MAXIMUM_HITS`."""
    keyword_weight: float | None = None
    """Weight of the coverage by words against the normalised likeness of meaning."""
    rerank: RerankWish | None = None
    rerank_model_id: UUID | None = None
    """None: the space's default rerank model."""


def effective(wished: RetrievalSettings | None, bases: Sequence[KnowledgeBase]) -> RetrievalOptions:
    """Return the options of a search over these bases."""
    own = base_settings_of(bases[0]).retrieval if len(bases) == 1 else RetrievalOptions()
    if wished is None:
        return own
    limit = own.limit if wished.limit is None else wished.limit
    weight = own.keyword_weight if wished.keyword_weight is None else wished.keyword_weight
    return RetrievalOptions(
        limit=min(max(1, limit), MAXIMUM_HITS),
        keyword_weight=weight,
        rerank=wished.rerank or own.rerank,
    )
