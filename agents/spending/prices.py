"""What tokens cost: prices of model rows, applied to the usage of one call."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from providers.constants import ModelType
from providers.contracts.chat import Usage
from providers.models import AIModel
from providers.parameters import DEFAULT_CURRENCY, read_parameters

_MILLION = Decimal(1_000_000)
_SMALLEST = Decimal("0.000001")


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Prices of a million tokens."""

    input: Decimal = Decimal(0)
    output: Decimal = Decimal(0)
    cached: Decimal | None = None
    """Input that the service had in its cache; None: costs like other input."""


def prices_of(model: AIModel | None) -> Prices:
    """Return a row's prices; a model without any costs nothing."""
    if model is None:
        return Prices()
    found = read_parameters(model.parameters)
    cached = None if found.cached_price is None else Decimal(str(found.cached_price))
    return Prices(
        input=Decimal(str(found.input_price or 0)),
        output=Decimal(str(found.output_price or 0)),
        cached=cached,
    )


def cost_of(usage: Usage, prices: Prices) -> Decimal:
    """Return what one call cost, to a millionth. Cached tokens are part of the input tokens."""
    cached_tokens = min(usage.cached_tokens, usage.input_tokens)
    cached_price = prices.input if prices.cached is None else prices.cached
    total = (
        (usage.input_tokens - cached_tokens) * prices.input
        + cached_tokens * cached_price
        + usage.output_tokens * prices.output
    )
    return (total / _MILLION).quantize(_SMALLEST)


def space_currency() -> str:
    """Return the currency of the current space's prices; all its models share one."""
    rows = AIModel.objects.filter(type__in=(ModelType.CHAT, ModelType.VISION))
    for row in rows.order_by("-is_default", "name"):
        parameters = read_parameters(row.parameters)
        if parameters.has_prices:
            return parameters.currency
    return DEFAULT_CURRENCY
