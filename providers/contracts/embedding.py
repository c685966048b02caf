"""What retrieval and ingestion ask of an embedding or rerank model. Pure Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeGuard

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


def problem_of(answer: object, *, count: int) -> str:
    """Return what is wrong with an answer about `count` passages; blank when it can be used.

    Every passage has to have one finite number; which numbers, is the model's own affair.
    """
    if not isinstance(answer, list | tuple):
        return "it is no list of scores"
    for each in answer:
        index, score = getattr(each, "index", None), getattr(each, "score", None)
        if not is_number(score):
            return f"a score that is no number: {score!r:.80}"
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
            return f"an index that is no passage's: {index!r:.80}"
    if len(answer) != count:
        return f"{len(answer)} scores for {count} passages"
    if len({each.index for each in answer}) != count:
        return "a passage has two scores"
    return ""


def is_number(value: object) -> TypeGuard[int | float]:
    """Say whether a score can be computed with: finite, and no truth value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


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
