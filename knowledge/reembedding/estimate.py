"""What a change of the embedding model will take: passages, tokens, money. A guess, never a promise."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Sum
from django.db.models.functions import Length

from knowledge.batches.prices import currency_of, input_price
from knowledge.models import KnowledgeBase
from knowledge.reembedding.queries import compared_passages
from providers.models import AIModel

_CHARACTERS_A_TOKEN = 3
"""Between English, with four, and Chinese, with less than two."""


@dataclass(frozen=True, kw_only=True)
class BaseSize:
    """What of a base is embedded."""

    passages: int
    tokens: int
    """Estimated."""


def size_of(base: KnowledgeBase) -> BaseSize:
    """Return how much of a base would be embedded again."""
    rows = compared_passages(base.pk).order_by()
    characters = rows.aggregate(total=Sum(Length("text")))["total"] or 0
    return BaseSize(passages=rows.count(), tokens=characters // _CHARACTERS_A_TOKEN)


def cost_of(model: AIModel, size: BaseSize) -> tuple[Decimal, str]:
    """Return what embedding so much costs, cents, and their currency; blank where no price is set."""
    return input_price(model) * size.tokens, currency_of(model)
