"""How one search is made: what the caller wishes, else what the base's owner set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal
from uuid import UUID

from pydantic import ValidationError

from core.errors import Invalid
from knowledge.base_settings import Fusion, RetrievalOptions, base_settings_of
from knowledge.models import KnowledgeBase

RerankWish = Literal["auto", "always", "never"]
MAXIMUM_HITS = 50


@dataclass(frozen=True, kw_only=True)
class RetrievalSettings:
    """What a caller wishes; None leaves it to the base (or, over several bases, to the default).

    The fields are those of `RetrievalOptions`, which says what each one means.
    """

    limit: int | None = None
    """Most hits, up to `MAXIMUM_HITS`."""
    keyword_weight: float | None = None
    """Weight of the coverage by words against the normalised likeness of meaning."""
    rerank: RerankWish | None = None
    rerank_model_id: UUID | None = None
    """None: the space's default rerank model."""
    embedding_model_id: UUID | None = None
    """Compare vectors of this model, where the bases have some; None: of each base's own."""
    fusion: Fusion | None = None
    rrf_k: int | None = None
    dense_threshold: float | None = None
    keyword_threshold: float | None = None
    rerank_threshold: float | None = None
    mmr_lambda: float | None = None
    faq_weight: float | None = None
    wiki_weight: float | None = None
    graph: bool | None = None
    graph_hops: int | None = None
    graph_weight: float | None = None
    neighbours: int | None = None

    def wishes(self) -> dict[str, Any]:
        """Return the options that are named here."""
        named = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: value
            for name, value in named.items()
            if value is not None and name in RetrievalOptions.model_fields
        }


def effective(wished: RetrievalSettings | None, bases: Sequence[KnowledgeBase]) -> RetrievalOptions:
    """Return the options of a search over these bases.

    Raises:
        Invalid: a wish is out of its range; says which.
    """
    own = base_settings_of(bases[0]).retrieval if len(bases) == 1 else RetrievalOptions()
    if wished is None:
        return own
    named = wished.wishes()
    if "limit" in named:
        named["limit"] = min(max(1, named["limit"]), MAXIMUM_HITS)
    try:
        return RetrievalOptions.model_validate({**own.model_dump(), **named})
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in problem["loc"])
        raise Invalid(f"The search setting {name!r} cannot be used: {problem['msg']}.") from error
