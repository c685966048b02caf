"""What retrieval and ingestion ask of an embedding or rerank model. Pure Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

InputKind = Literal["query", "passage"]


class EmbeddingModel(Protocol):
    """Turns texts into unit vectors."""

    @property
    def identity(self) -> str:
        """Names weights and engine; vectors of two identities must not be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> NDArray[np.float32]:
        """Return one unit vector a text, shape (len(texts), dimensions), in order.

        Raises:
            ModelError: the call failed.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class RerankScore:
    """One passage's relevance."""

    index: int
    """Position in the passages that were sent."""
    score: float
    """Higher is better; the range is the model's own."""


class RerankModel(Protocol):
    """Orders passages by their relevance to a query."""

    @property
    def identity(self) -> str:
        """Names the model and its engine."""
        ...

    def rerank(self, query: str, passages: Sequence[str]) -> list[RerankScore]:
        """Return one score a passage, best first.

        Raises:
            ModelError: the call failed, or the answer has another number of scores.
        """
        ...
