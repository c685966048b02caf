"""A base's settings as a value."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from knowledge.models import KnowledgeBase


class SplitOptions(BaseModel):
    """How documents are cut into chunks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    size_characters: int = Field(default=1200, ge=200, le=7500)
    overlap_characters: int = Field(default=0, ge=0, le=1000)


class RetrievalOptions(BaseModel):
    """How the base is searched."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: int = Field(default=10, ge=1, le=50)
    """Hits a search returns."""
    keyword_weight: float = Field(default=2.0, ge=0, le=10)
    """Weight of idf coverage against the normalised dense score (measured: 2)."""
    rerank: Literal["auto", "always", "never"] = "auto"


class BaseSettings(BaseModel):
    """Everything that a base's owner may set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    split: SplitOptions = SplitOptions()
    retrieval: RetrievalOptions = RetrievalOptions()


def base_settings_of(base: KnowledgeBase) -> BaseSettings:
    """Read the settings of a base; what it does not set has its default."""
    return BaseSettings.model_validate(base.options)
