"""The three models that the server offers, and the work they do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from providers.contracts.embedding import InputKind
from providers.local.e5 import DIMENSIONS, E5, MAXIMUM_TOKENS, OnnxE5
from providers.local.maxsim import maxsim
from providers.local.protocol import RequestRejected
from providers.local.turnstile import Turnstile

EMBEDDER = "multilingual-e5-small"
RERANKER = "e5-maxsim"
ANSWERER = "extractive"
Task = Literal["embedding", "rerank", "chat"]

_NAMES: dict[Task, frozenset[str]] = {
    "embedding": frozenset({EMBEDDER, f"{EMBEDDER}-query", f"{EMBEDDER}-passage"}),
    "rerank": frozenset({RERANKER}),
    "chat": frozenset({ANSWERER}),
}


class CallerGone(Exception):
    """Whoever asked hung up; the rest of the work is for nobody."""


@dataclass(frozen=True, kw_only=True)
class EmbeddedTexts:
    """Vectors of a request, in its order."""

    vectors: tuple[NDArray[np.float32], ...]
    tokens: int


class Catalogue:
    """The loaded engine behind the three model names. Thread-safe; one text at a time."""

    def __init__(self, engine: E5) -> None:
        self._engine = engine
        self._turnstile = Turnstile()

    @property
    def embedding_identity(self) -> str:
        """Weights and engine: vectors of two identities must not be compared."""
        return self._engine.identity

    @property
    def rerank_identity(self) -> str:
        """Engine and method of reranking."""
        method = "maxsim" if isinstance(self._engine, OnnxE5) else "cosine"
        return f"{self._engine.identity}/{method}"

    def embed(
        self, texts: Sequence[str], *, kind: InputKind, gone: Callable[[], bool] = lambda: False
    ) -> EmbeddedTexts:
        """Embed the texts; a single query passes ahead of passages.

        Raises:
            CallerGone: `gone` said so between two texts.
        """
        vectors: list[NDArray[np.float32]] = []
        tokens = 0
        for text in texts:
            if gone():
                raise CallerGone
            with self._turnstile.pass_through(urgent=kind == "query"):
                embedded = self._engine.embed_text(text, kind=kind)
            vectors.append(embedded.vector)
            tokens += embedded.tokens
        return EmbeddedTexts(vectors=tuple(vectors), tokens=tokens)

    def rerank(
        self, query: str, passages: Sequence[str], *, gone: Callable[[], bool] = lambda: False
    ) -> list[float]:
        """Return one relevance a passage, in their order; people wait for it, so it is urgent.

        Raises:
            CallerGone: `gone` said so between two passages.
        """
        vectors_of = self._token_vectors
        query_vectors = vectors_of(query, "query")
        scores: list[float] = []
        for passage in passages:
            if gone():
                raise CallerGone
            scores.append(maxsim(query_vectors, vectors_of(passage, "passage")))
        return scores

    def _token_vectors(self, text: str, kind: InputKind) -> NDArray[np.float32]:
        with self._turnstile.pass_through(urgent=True):
            if isinstance(self._engine, OnnxE5):
                return self._engine.token_vectors(text, kind=kind)
            # The C engine gives one vector a text: MaxSim then is their cosine.
            return self._engine.embed_text(text, kind=kind).vector[None, :]


class CatalogueLoader:
    """Hands out the catalogue once it is loaded; before that, requests are told to come back."""

    def __init__(self) -> None:
        self._loaded: Catalogue | None = None
        self._lock = threading.Lock()

    def put(self, catalogue: Catalogue) -> None:
        """Make the catalogue available."""
        with self._lock:
            self._loaded = catalogue

    @property
    def ready(self) -> bool:
        """Whether models are loaded."""
        return self._loaded is not None

    def get(self) -> Catalogue:
        """Return the catalogue.

        Raises:
            RequestRejected: 503 with Retry-After while it is being loaded.
        """
        if self._loaded is None:
            raise RequestRejected(
                503, "the models are still being loaded", code="loading", retry_after_seconds=1
            )
        return self._loaded


def check_model(name: str, task: Task) -> None:
    """Return when `name` is a model for `task`.

    Raises:
        RequestRejected: 404 that names what there is.
    """
    if name in _NAMES[task]:
        return
    known = ", ".join(sorted(_NAMES[task]))
    raise RequestRejected(
        404, f"there is no {task} model {name!r} here; there is: {known}", code="model_not_found"
    )


def models_body(catalogue: Catalogue) -> dict[str, Any]:
    """Return the answer of /v1/models; `identity` and `dimensions` are additions of ours."""
    embedder = {"dimensions": DIMENSIONS, "max_input_tokens": MAXIMUM_TOKENS}
    entries: list[dict[str, Any]] = [
        {"id": EMBEDDER, "task": "embedding", "identity": catalogue.embedding_identity, **embedder},
        {"id": RERANKER, "task": "rerank", "identity": catalogue.rerank_identity},
        {"id": ANSWERER, "task": "chat", "identity": ANSWERER},
    ]
    shared = {"object": "model", "created": 0, "owned_by": "built-in"}
    return {"object": "list", "data": [{**entry, **shared} for entry in entries]}
