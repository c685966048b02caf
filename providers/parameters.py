"""The settings of a model row beside its address: what `AIModel.parameters` holds."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import Invalid
from providers.adapters.embeddings import EncodingFormat, InputStyle
from providers.adapters.thinking import ThinkingStyle

AZURE_API_VERSION = "2024-10-21"
DEFAULT_CURRENCY = "USD"


class ModelParameters(BaseModel):
    """How one model is spoken to. Every field has a default that suits most services."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    timeout_seconds: float = Field(default=120.0, gt=0, le=3600)
    api_version: str = Field(default=AZURE_API_VERSION, max_length=40)
    """Azure only."""

    # Chat and vision
    context_tokens: int = Field(default=32_768, ge=512, le=10_000_000)
    max_output_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    temperature: float | None = Field(default=None, ge=0, le=2)
    output_limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    thinking: ThinkingStyle = "none"
    thinking_effort: Literal["minimal", "low", "medium", "high"] = "medium"
    return_reasoning: bool = False
    stream_usage: bool = True
    supports_images: bool = False
    extractive: bool = False
    """It only quotes passages: it can't write titles, summaries or pages."""

    # Prices of a million tokens
    input_price: float | None = Field(default=None, ge=0, le=1_000_000)
    output_price: float | None = Field(default=None, ge=0, le=1_000_000)
    cached_price: float | None = Field(default=None, ge=0, le=1_000_000)
    """Input from the service's cache; None: like other input."""
    currency: str = Field(default=DEFAULT_CURRENCY, pattern="^[A-Z]{3}$")
    """Three letters (ISO 4217); all models of a space use the same."""

    # Embedding
    dimensions: int | None = Field(default=None, ge=1, le=8192)
    request_dimensions: bool = False
    input_style: InputStyle = "none"
    encoding_format: EncodingFormat = "float"
    batch_size: int = Field(default=32, ge=1, le=512)

    @property
    def has_prices(self) -> bool:
        """Whether anything is charged."""
        return any((self.input_price, self.output_price, self.cached_price))


def read_parameters(values: dict[str, Any]) -> ModelParameters:
    """Return the parameters of a row or a form.

    Raises:
        Invalid: a value is unknown or out of bounds; names it and what would do.
    """
    try:
        return ModelParameters.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "parameters"
        problem = f"{name}: {first['msg']}"
    raise Invalid(f"The model's parameters cannot be used: {problem}", field=name)
