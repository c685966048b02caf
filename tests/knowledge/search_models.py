"""Models for tests of ingestion and retrieval: deterministic, in this process, no weights."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from knowledge.ingest.embed import embed_chunks
from knowledge.ingest.index import index_chunks
from knowledge.models import Document, KnowledgeBase
from knowledge.text.analyze import analyze
from providers.contracts.embedding import InputKind, RerankScore
from providers.contracts.errors import ModelError
from tests.factories.knowledge import make_document


class WordModel:
    """Texts with the same words are near each other: a stand-in for a model of meaning."""

    def __init__(self, *, identity: str = "words/1", dimensions: int = 384) -> None:
        self.identity = identity
        self.dimensions = dimensions
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> NDArray[np.float32]:
        self.seen += texts
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.full(self.dimensions, 0.01, dtype=np.float32)
        for term in analyze(text):
            digest = hashlib.sha256(term.encode()).digest()
            vector[int.from_bytes(digest[:4], "big") % self.dimensions] += 1
        unit: NDArray[np.float32] = vector / np.linalg.norm(vector)
        return unit


class BrokenModel:
    """An embedding and rerank model that cannot be reached."""

    identity = "broken/1"
    dimensions = 384

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> NDArray[np.float32]:
        raise ModelError("unreachable", "the model server does not answer")

    def rerank(self, query: str, passages: Sequence[str]) -> list[RerankScore]:
        raise ModelError("unreachable", "the model server does not answer")


class PreferringReranker:
    """Puts passages with a certain word first."""

    identity = "preferring/1"

    def __init__(self, word: str) -> None:
        self.word = word
        self.calls: list[tuple[str, list[str]]] = []

    def rerank(self, query: str, passages: Sequence[str]) -> list[RerankScore]:
        self.calls.append((query, list(passages)))
        scores = [
            RerankScore(index=index, score=1.0 if self.word in passage else -index / 100)
            for index, passage in enumerate(passages)
        ]
        return sorted(scores, key=lambda each: -each.score)


def add_document(
    base: KnowledgeBase, *texts: str, name: str = "", model: WordModel | None = None
) -> Document:
    """Make a searchable document of these passages, embedded and indexed. Needs an open scope."""
    document = make_document(base, name=name, texts=texts)
    embed_chunks(document, model=model or WordModel())
    index_chunks(document)
    return document
