"""Reranking: every passage has exactly one finite score, or the answer is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from providers.adapters.endpoint import Endpoint
from providers.adapters.rerank import RerankService
from providers.adapters.transport import loopback_sync_client
from providers.contracts.embedding import RerankScore
from providers.contracts.errors import ModelError
from tests.providers.local_server import LocalServer
from tests.providers.vendor import Vendor


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    with loopback_sync_client(20) as client:
        yield client


def service_at(url: str, http: httpx.Client, *, key: str = "k", model: str = "m") -> RerankService:
    endpoint = Endpoint(base_url=url, model_id=model, api_key=key, headers={"X-Team": "blue"})
    return RerankService(endpoint, http=http, identity="host/m")


def test_scores_come_best_first_and_equal_ones_in_their_order(
    vendor: Vendor, http: httpx.Client
) -> None:
    results = [(2, 0.5), (0, 0.5), (1, 0.9)]
    vendor.will_say({"results": [{"index": i, "relevance_score": s} for i, s in results]})
    scores = service_at(vendor.url, http).rerank("q", ["a", "b", "c"])
    assert scores == [
        RerankScore(index=1, score=0.9),
        RerankScore(index=0, score=0.5),
        RerankScore(index=2, score=0.5),
    ]
    seen = vendor.seen[0]
    assert seen.path == "/v1/rerank"
    assert seen.headers["authorization"] == "Bearer k"
    assert seen.headers["x-team"] == "blue"
    assert seen.body == {"model": "m", "query": "q", "documents": ["a", "b", "c"], "top_n": 3}


@pytest.mark.parametrize(
    "answer",
    [
        {"data": [{"index": 0, "relevance_score": 1}]},
        [{"index": 0, "score": 1}],
        {"results": [{"index": 0, "score": 1}]},
    ],
)
def test_other_servers_shapes_are_read(vendor: Vendor, http: httpx.Client, answer: Any) -> None:
    vendor.will_say(answer)
    assert service_at(vendor.url, http).rerank("q", ["a"]) == [RerankScore(index=0, score=1.0)]


@pytest.mark.parametrize(
    "answer",
    [
        {"results": []},
        {"results": [{"index": 0, "relevance_score": 0.5}]},
        {"results": [{"index": 0, "relevance_score": 0.5}] * 2},
        {"results": [{"index": i, "relevance_score": 0.5} for i in (0, 2)]},
        {"results": [{"index": i, "relevance_score": "high"} for i in (0, 1)]},
        {"results": [{"index": i, "relevance_score": float("nan")} for i in (0, 1)]},
        {"results": [{"index": i, "relevance_score": True} for i in (0, 1)]},
        {"results": "none"},
        {"ok": True},
        ["a", "b"],
        None,
    ],
)
def test_wrong_counts_and_odd_scores_are_a_bad_response(
    vendor: Vendor, http: httpx.Client, answer: Any
) -> None:
    vendor.will_say(answer)
    with pytest.raises(ModelError) as caught:
        service_at(vendor.url, http).rerank("q", ["a", "b"])
    assert (caught.value.kind, caught.value.retry) == ("bad_response", False)


def test_an_error_status_keeps_the_services_words(vendor: Vendor, http: httpx.Client) -> None:
    vendor.will_fail(429, {"message": "slow down"}, {"Retry-After": "2"})
    with pytest.raises(ModelError) as caught:
        service_at(vendor.url, http).rerank("q", ["a"])
    assert (caught.value.kind, caught.value.provider_message) == ("rate_limited", "slow down")
    assert caught.value.retry_after_seconds == 2.0


def test_no_json_is_a_bad_response(vendor: Vendor, http: httpx.Client) -> None:
    vendor.will_fail(200, "hello")
    with pytest.raises(ModelError) as caught:
        service_at(vendor.url, http).rerank("q", ["a"])
    assert caught.value.kind == "bad_response"


def test_no_passages_need_no_call(vendor: Vendor, http: httpx.Client) -> None:
    assert service_at(vendor.url, http).rerank("q", []) == []
    assert vendor.seen == []


def test_the_built_in_reranker_finds_the_answer(
    local_server: LocalServer, http: httpx.Client
) -> None:
    service = service_at(local_server.url, http, key=local_server.key, model="e5-maxsim")
    passages = ["Cats sleep a lot.", "Paris is the capital of France.", "France has many rivers."]
    scores = service.rerank("What is the capital of France?", passages)
    assert scores[0].index == 1
    assert len(scores) == 3
