"""The requests the server takes, read from JSON, and the OpenAI-shaped bodies it answers with.

Plain dataclasses rather than pydantic: the serving process should stay small.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from providers.contracts.embedding import InputKind

MAXIMUM_INPUTS = 512
MAXIMUM_DOCUMENTS = 200
EncodingFormat = Literal["float", "base64"]


class RequestRejected(Exception):
    """The request can't be served; becomes an OpenAI-shaped error."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str = "invalid_request",
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.retry_after_seconds = retry_after_seconds

    def body(self) -> dict[str, Any]:
        """Return the error in the shape OpenAI's clients read."""
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        return {"error": {"message": self.message, "type": kind, "code": self.code, "param": None}}


@dataclass(frozen=True, kw_only=True)
class EmbeddingRequest:
    """Texts to embed."""

    model: str
    texts: tuple[str, ...]
    kind: InputKind
    encoding: EncodingFormat


@dataclass(frozen=True, kw_only=True)
class RerankRequest:
    """Passages to order."""

    model: str
    query: str
    passages: tuple[str, ...]
    top_n: int
    return_documents: bool


@dataclass(frozen=True, kw_only=True)
class ChatTurn:
    """One message, with what the extractive answerer needs of it."""

    role: str
    text: str
    tool_names: tuple[str, ...] = ()
    """Which tools an assistant's message called."""


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    """A conversation to go on with."""

    model: str
    turns: tuple[ChatTurn, ...]
    tools: tuple[str, ...]
    stream: bool
    include_usage: bool


def read_embedding_request(body: Mapping[str, Any]) -> EmbeddingRequest:
    """Read a body of /v1/embeddings.

    `input_type` says whether the texts are queries or passages; without it a model name that ends
    in "-query" does; without that they are passages.
    """
    model = _text(body, "model")
    texts = _texts(body.get("input"), "input", limit=MAXIMUM_INPUTS)
    return EmbeddingRequest(
        model=model, texts=texts, kind=_input_kind(body, model), encoding=_encoding(body)
    )


def read_rerank_request(body: Mapping[str, Any]) -> RerankRequest:
    """Read a body of /v1/rerank (Cohere's and Jina's shape)."""
    documents = body.get("documents")
    if isinstance(documents, list):
        documents = [d.get("text") if isinstance(d, Mapping) else d for d in documents]
    passages = _texts(documents, "documents", limit=MAXIMUM_DOCUMENTS)
    top_n = body.get("top_n")
    if top_n is None:
        top_n = len(passages)
    if not isinstance(top_n, int) or isinstance(top_n, bool) or top_n < 1:
        raise RequestRejected(400, f"top_n {top_n!r} is not a number from 1")
    return RerankRequest(
        model=_text(body, "model"),
        query=_text(body, "query"),
        passages=passages,
        top_n=min(top_n, len(passages)),
        return_documents=body.get("return_documents") is True,
    )


def read_chat_request(body: Mapping[str, Any]) -> ChatRequest:
    """Read a body of /v1/chat/completions."""
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise RequestRejected(400, "messages must be a list of at least one message")
    options = body.get("stream_options")
    return ChatRequest(
        model=_text(body, "model"),
        turns=tuple(_turn(message) for message in messages),
        tools=() if body.get("tool_choice") == "none" else _tool_names(body.get("tools")),
        stream=body.get("stream") is True,
        include_usage=isinstance(options, Mapping) and options.get("include_usage") is True,
    )


def embedding_body(
    vectors: Sequence[NDArray[np.float32]], *, encoding: EncodingFormat, model: str, tokens: int
) -> dict[str, Any]:
    """Return the answer of /v1/embeddings; `model` carries the engine's identity."""
    data = [
        {"object": "embedding", "index": index, "embedding": _encoded(vector, encoding)}
        for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": model, "usage": usage}


def rerank_body(scores: Sequence[float], request: RerankRequest, *, model: str) -> dict[str, Any]:
    """Return the answer of /v1/rerank, best first; equal scores keep the order they came in."""
    order = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
    results: list[dict[str, Any]] = []
    for index in order[: request.top_n]:
        result: dict[str, Any] = {"index": index, "relevance_score": scores[index]}
        if request.return_documents:
            result["document"] = {"text": request.passages[index]}
        results.append(result)
    return {"model": model, "results": results}


def _encoded(vector: NDArray[np.float32], encoding: EncodingFormat) -> str | list[float]:
    if encoding == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode("ascii")
    return [float(number) for number in vector]


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise RequestRejected(400, f"{name} must be a text that is not empty")
    return value


def _texts(value: Any, name: str, *, limit: int) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts:
        raise RequestRejected(400, f"{name} must be a text or a list of at least one text")
    if len(texts) > limit:
        raise RequestRejected(400, f"{name} has {len(texts)} texts; {limit} is the most")
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise RequestRejected(400, f"{name}[{index}] is not a text; token ids aren't read")
    return tuple(texts)


def _input_kind(body: Mapping[str, Any], model: str) -> InputKind:
    wanted = body.get("input_type")
    if wanted in ("query", "search_query"):
        return "query"
    if wanted in ("passage", "document", "search_document"):
        return "passage"
    if wanted is not None:
        raise RequestRejected(400, f"input_type {wanted!r} is neither query nor passage")
    return "query" if model.endswith("-query") else "passage"


def _encoding(body: Mapping[str, Any]) -> EncodingFormat:
    wanted = body.get("encoding_format") or "float"
    if wanted == "float":
        return "float"
    if wanted == "base64":
        return "base64"
    raise RequestRejected(400, f"encoding_format {wanted!r} is neither float nor base64")


def _tool_names(tools: Any) -> tuple[str, ...]:
    if not isinstance(tools, list):
        return ()
    functions = [tool.get("function") for tool in tools if isinstance(tool, Mapping)]
    names = [f.get("name") for f in functions if isinstance(f, Mapping)]
    return tuple(name for name in names if isinstance(name, str))


def _turn(message: Any) -> ChatTurn:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise RequestRejected(400, "each message needs a role")
    return ChatTurn(
        role=message["role"],
        text=_content(message.get("content")),
        tool_names=_tool_names(message.get("tool_calls")),
    )


def _content(content: Any) -> str:
    """Join the text parts of a message; pictures are passed over."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in content if isinstance(part, Mapping)]
    return "\n".join(part for part in parts if isinstance(part, str))
