"""Embedding over every address that speaks OpenAI's protocol, through the openai library."""

from __future__ import annotations

import base64
import binascii
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import httpx
import httpx2
import numpy as np
import openai
from numpy.typing import NDArray

from providers.adapters.endpoint import Endpoint
from providers.adapters.failures import as_text, failure, to_model_error
from providers.contracts.embedding import InputKind

InputStyle = Literal["none", "input_type", "cohere", "jina_task", "e5_prefix"]
EncodingFormat = Literal["float", "base64"]
_COHERE: dict[InputKind, str] = {"query": "search_query", "passage": "search_document"}
_JINA: dict[InputKind, str] = {"query": "retrieval.query", "passage": "retrieval.passage"}
_NO_KEY = "no-key"


@dataclass(frozen=True, kw_only=True)
class EmbeddingStyle:
    """The habits of one embedding model."""

    dimensions: int | None = None
    """What a vector has to have; None: what the first answer has."""
    request_dimensions: bool = False
    """Ask the service for that many (only some models can)."""
    input_style: InputStyle = "none"
    encoding_format: EncodingFormat = "float"
    batch_size: int = 32


class OpenAIEmbeddingModel:
    """An `EmbeddingModel` behind an OpenAI-compatible or Azure address. Thread-safe."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        http: httpx.Client,
        style: EmbeddingStyle = EmbeddingStyle(),
        identity: str | Callable[[], str],
    ) -> None:
        """Keep the parts; nothing is sent yet.

        Args:
            endpoint: where the model is.
            http: a client that is shared and not closed here.
            style: the model's habits.
            identity: names weights and engine, or a function that asks the service for it.
        """
        self._endpoint = endpoint
        self._style = style
        self._client = _sync_client(endpoint, http)
        self._identity = identity
        self._dimensions = style.dimensions
        self._lock = threading.Lock()

    @property
    def identity(self) -> str:
        """Names weights and engine; vectors of two identities must not be compared."""
        with self._lock:
            if not isinstance(self._identity, str):
                self._identity = self._identity()
            return self._identity

    @property
    def dimensions(self) -> int:
        """Length of a vector; asks the service once when nobody has said it."""
        if self._dimensions is None:
            self.embed(["dimensions"], kind="query")
        return self._dimensions or 0

    def embed(self, texts: Sequence[str], *, kind: InputKind) -> NDArray[np.float32]:
        """Return one unit vector a text, in order.

        Raises:
            ModelError: the call failed, or the answer has other counts or lengths than asked for.
        """
        size = self._style.batch_size
        batches = [texts[start : start + size] for start in range(0, len(texts), size)]
        vectors = [self._embed_batch(batch, kind) for batch in batches]
        if not vectors:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.concatenate(vectors)

    def _embed_batch(self, texts: Sequence[str], kind: InputKind) -> NDArray[np.float32]:
        broken: Exception | None = None
        answer: Any = None
        try:
            answer = self._client.embeddings.create(**self._body(texts, kind))
        except Exception as error:  # noqa: BLE001 -- whatever it is becomes a ModelError
            broken = error
        if broken is not None:
            # Outside of the handler: a chained exception would carry request and key.
            raise to_model_error(broken, self._endpoint)
        return self._unit_rows(answer, count=len(texts))

    def _body(self, texts: Sequence[str], kind: InputKind) -> dict[str, Any]:
        style = self._style
        prefix = f"{kind}: " if style.input_style == "e5_prefix" else ""
        extra: dict[str, Any] = {}
        if style.input_style == "input_type":
            extra["input_type"] = kind
        elif style.input_style == "cohere":
            extra["input_type"] = _COHERE[kind]
        elif style.input_style == "jina_task":
            extra["task"] = _JINA[kind]
        if style.request_dimensions and style.dimensions:
            extra["dimensions"] = style.dimensions
        return {
            "model": self._endpoint.model_id,
            # Several services refuse an empty text.
            "input": [prefix + (as_text(text) or " ") for text in texts],
            "encoding_format": style.encoding_format,
            "extra_body": extra,
        }

    def _unit_rows(self, answer: Any, *, count: int) -> NDArray[np.float32]:
        data = getattr(answer, "data", None) or []
        rows = {entry.index: entry.embedding for entry in data}
        if len(data) != count or set(rows) != set(range(count)):
            raise failure(
                "bad_response", self._endpoint, words=f"{len(data)} vectors for {count} texts"
            )
        vectors = [self._vector(rows[index]) for index in range(count)]
        lengths = {len(vector) for vector in vectors}
        wanted = self._dimensions or max(lengths)
        if lengths != {wanted}:
            raise failure(
                "bad_response",
                self._endpoint,
                words=f"vectors of {sorted(lengths)} numbers instead of {wanted}",
            )
        matrix = np.stack(vectors)
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or (norms < 1e-9).any():
            raise failure("bad_response", self._endpoint, words="a vector is zero or not a number")
        self._dimensions = wanted
        unit: NDArray[np.float32] = (matrix / norms).astype(np.float32)
        return unit

    def _vector(self, value: Any) -> NDArray[np.float32]:
        try:
            if isinstance(value, str):
                return np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4").astype(
                    np.float32
                )
            return np.asarray(value, dtype=np.float32)
        except (ValueError, TypeError, binascii.Error):
            words = "a vector that is not a list of numbers"
        raise failure("bad_response", self._endpoint, words=words)


def _sync_client(endpoint: Endpoint, http: httpx.Client) -> openai.OpenAI:
    shared: dict[str, Any] = {
        "api_key": endpoint.api_key or _NO_KEY,
        "max_retries": 0,
        "timeout": endpoint.timeout_seconds,
        "default_headers": dict(endpoint.headers),
        # The library takes httpx clients, too; its types only name httpx2.
        "http_client": cast("httpx2.Client", http),
    }
    client: openai.OpenAI
    if endpoint.azure_api_version:
        client = openai.AzureOpenAI(
            azure_endpoint=endpoint.base_url,
            azure_deployment=endpoint.model_id,
            api_version=endpoint.azure_api_version,
            **shared,
        )
    else:
        client = openai.OpenAI(base_url=endpoint.base_url, **shared)
    client.organization = client.project = None
    return client
