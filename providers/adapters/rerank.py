"""Reranking over the request shape that Cohere, Jina and most servers share."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx

from providers.adapters.endpoint import Endpoint
from providers.adapters.failures import as_text, failure, from_status, to_model_error
from providers.contracts.embedding import RerankScore, problem_of

MAXIMUM_ANSWER_BYTES = 2_000_000
"""Some servers send the passages back with their scores."""


class RerankService:
    """A `RerankModel` behind `POST {base_url}/rerank`. Thread-safe."""

    def __init__(
        self, endpoint: Endpoint, *, http: httpx.Client, identity: str | Callable[[], str]
    ) -> None:
        self._endpoint = endpoint
        self._http = http
        self._identity = identity

    @property
    def identity(self) -> str:
        """Names the model and its engine."""
        if not isinstance(self._identity, str):
            self._identity = self._identity()
        return self._identity

    def rerank(self, query: str, passages: Sequence[str]) -> list[RerankScore]:
        """Return one score a passage, best first; equal scores keep the order they came in.

        Raises:
            ModelError: the call failed, or the answer has another number of scores.
        """
        if not passages:
            return []
        scores = self._scores(self._post(query, passages), count=len(passages))
        return sorted(scores, key=lambda entry: (-entry.score, entry.index))

    def _post(self, query: str, passages: Sequence[str]) -> Any:
        body = {
            "model": self._endpoint.model_id,
            "query": as_text(query),
            "documents": [as_text(passage) for passage in passages],
            "top_n": len(passages),
        }
        deadline = time.monotonic() + self._endpoint.timeout_seconds
        broken: Exception | None = None
        answer: httpx.Response | None = None
        words = b""
        try:
            with self._http.stream(
                "POST",
                f"{self._endpoint.base_url.rstrip('/')}/rerank",
                json=body,
                headers=self._headers(),
                timeout=self._endpoint.timeout_seconds,
            ) as answer:
                words = _read(answer, deadline)
            if answer.is_success:
                return json.loads(words)
        except Exception as error:  # noqa: BLE001 -- whatever it is becomes a ModelError
            broken = error
        # Outside of the handler: a chained exception would carry request and key.
        if broken is not None or answer is None:
            raise to_model_error(broken or RuntimeError("no answer"), self._endpoint)
        raise from_status(answer.status_code, words, answer.headers, self._endpoint)

    def _headers(self) -> dict[str, str]:
        headers = dict(self._endpoint.headers)
        if self._endpoint.api_key:
            headers.setdefault("Authorization", f"Bearer {self._endpoint.api_key}")
        return headers

    def _scores(self, body: Any, *, count: int) -> list[RerankScore]:
        results = body.get("results", body.get("data")) if isinstance(body, Mapping) else body
        if not isinstance(results, list):
            raise failure("bad_response", self._endpoint, words="the answer has no list of results")
        scores = [_score(result) for result in results]
        problem = problem_of(scores, count=count)
        if problem:
            raise failure("bad_response", self._endpoint, words=problem)
        return [RerankScore(index=each.index, score=float(each.score)) for each in scores]


def _score(result: Any) -> RerankScore:
    """Return what an entry says, whatever it is: `problem_of` looks at it."""
    if not isinstance(result, Mapping):
        return RerankScore(index=-1, score=0.0)
    return RerankScore(
        index=result.get("index", -1), score=result.get("relevance_score", result.get("score"))
    )


def _read(answer: httpx.Response, deadline: float) -> bytes:
    """Return the body. Each piece may be in time and all of them too slow or too much together."""
    found = bytearray()
    for piece in answer.iter_bytes():
        found += piece
        if time.monotonic() > deadline:
            raise TimeoutError
        if len(found) > MAXIMUM_ANSWER_BYTES:
            raise ValueError("the answer is too long")
    return bytes(found)
