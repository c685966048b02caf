"""Wraps models so that background work takes one of the model's places for each call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from providers.concurrency import background_slot
from providers.contracts.embedding import EmbeddingModel, InputKind, RerankModel, RerankScore
from providers.contracts.speech import SpeechModel, Transcript


class LimitedEmbeddingModel:
    """An `EmbeddingModel` whose calls wait for a place."""

    def __init__(
        self,
        inner: EmbeddingModel,
        *,
        key: str,
        limit: int,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        self._inner = inner
        self._key = key
        self._limit = limit
        self._cancelled = cancelled

    @property
    def identity(self) -> str:
        """Names weights and engine."""
        return self._inner.identity

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> NDArray[np.float32]:
        """Embed when there is a place.

        Raises:
            ModelError: the call failed, or there was no place for too long (kind "overloaded").
        """
        with background_slot(self._key, limit=self._limit, cancelled=self._cancelled):
            return self._inner.embed(texts, kind=kind)


class LimitedRerankModel:
    """A `RerankModel` whose calls wait for a place."""

    def __init__(self, inner: RerankModel, *, key: str, limit: int) -> None:
        self._inner = inner
        self._key = key
        self._limit = limit

    @property
    def identity(self) -> str:
        """Names the model and its engine."""
        return self._inner.identity

    def rerank(self, query: str, passages: Sequence[str]) -> list[RerankScore]:
        """Rerank when there is a place.

        Raises:
            ModelError: the call failed, or there was no place for too long (kind "overloaded").
        """
        with background_slot(self._key, limit=self._limit):
            return self._inner.rerank(query, passages)


class LimitedSpeechModel:
    """A `SpeechModel` whose calls wait for a place."""

    def __init__(self, inner: SpeechModel, *, key: str, limit: int) -> None:
        self._inner = inner
        self._key = key
        self._limit = limit

    @property
    def identity(self) -> str:
        """Names the model and its engine."""
        return self._inner.identity

    def transcribe(self, recording: BinaryIO, *, name: str, media_type: str) -> Transcript:
        """Write a recording down when there is a place.

        Raises:
            ModelError: the call failed, or there was no place for too long (kind "overloaded").
        """
        with background_slot(self._key, limit=self._limit):
            return self._inner.transcribe(recording, name=name, media_type=media_type)
