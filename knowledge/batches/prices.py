"""What tokens of a model cost, in cents of the space's currency."""

from __future__ import annotations

from decimal import Decimal

from providers.contracts.chat import Usage
from providers.models import AIModel
from providers.parameters import read_parameters

_CENTS_A_TOKEN = Decimal(100) / Decimal(1_000_000)
"""Prices are for a million tokens."""


def input_price(model: AIModel | None) -> Decimal:
    """Return what a token that goes into the model costs, cents; nothing where no price is set."""
    if model is None:
        return Decimal(0)
    return Decimal(str(read_parameters(model.parameters).input_price or 0)) * _CENTS_A_TOKEN


def output_price(model: AIModel | None) -> Decimal:
    """Return what a token that the model writes costs, cents."""
    if model is None:
        return Decimal(0)
    return Decimal(str(read_parameters(model.parameters).output_price or 0)) * _CENTS_A_TOKEN


def cents_of(model: AIModel, usage: Usage) -> Decimal:
    """Return what one call cost, without what the service gives off for its cache."""
    return usage.input_tokens * input_price(model) + usage.output_tokens * output_price(model)


def currency_of(*models: AIModel | None) -> str:
    """Return the currency of the first model that has prices; blank where none has."""
    for model in models:
        parameters = read_parameters(model.parameters) if model is not None else None
        if parameters is not None and parameters.has_prices:
            return parameters.currency
    return ""
