"""Embeddings through the openai library: the right rows in the right order, or a clear error."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest

from providers.adapters.embeddings import EmbeddingStyle, OpenAIEmbeddingModel
from providers.adapters.endpoint import Endpoint
from providers.adapters.transport import loopback_sync_client
from providers.contracts.embedding import InputKind
from providers.contracts.errors import ModelError
from tests.providers.local_server import LocalServer
from tests.providers.vendor import Vendor


@pytest.fixture
def http() -> Iterator[httpx.Client]:
    with loopback_sync_client(10) as client:
        yield client


def model_at(url: str, http: httpx.Client, **style: Any) -> OpenAIEmbeddingModel:
    endpoint = Endpoint(base_url=url, model_id="m", api_key="k")
    return OpenAIEmbeddingModel(
        endpoint, http=http, style=EmbeddingStyle(**style), identity="host/m"
    )


def rows(*vectors: Any, order: list[int] | None = None) -> dict[str, Any]:
    indexes = order or list(range(len(vectors)))
    data = [
        {"object": "embedding", "index": index, "embedding": vector}
        for index, vector in zip(indexes, vectors, strict=True)
    ]
    return {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1}}


def test_vectors_come_back_in_the_texts_order_and_of_length_one(
    vendor: Vendor, http: httpx.Client
) -> None:
    vendor.will_say(rows([0, 5], [3, 4], order=[1, 0]))
    vectors = model_at(vendor.url, http).embed(["a", "b"], kind="passage")
    assert np.allclose(vectors, [[0.6, 0.8], [0.0, 1.0]])
    assert vectors.dtype == np.float32


def test_base64_is_asked_for_and_read(vendor: Vendor, http: httpx.Client) -> None:
    packed = base64.b64encode(np.array([3, 4], dtype="<f4").tobytes()).decode()
    vendor.will_say(rows(packed))
    vectors = model_at(vendor.url, http, encoding_format="base64").embed(["a"], kind="query")
    assert np.allclose(vectors, [[0.6, 0.8]])
    assert vendor.seen[0].body["encoding_format"] == "base64"


def test_many_texts_go_in_batches(vendor: Vendor, http: httpx.Client) -> None:
    vendor.will_say(rows([1, 0], [0, 1]))
    vendor.will_say(rows([1, 1]))
    vectors = model_at(vendor.url, http, batch_size=2).embed(["a", "b", "c"], kind="passage")
    assert vectors.shape == (3, 2)
    assert [seen.body["input"] for seen in vendor.seen] == [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    ("style", "kind", "sent"),
    [
        ("none", "query", {"input": ["a"]}),
        ("input_type", "query", {"input": ["a"], "input_type": "query"}),
        ("cohere", "passage", {"input": ["a"], "input_type": "search_document"}),
        ("jina_task", "query", {"input": ["a"], "task": "retrieval.query"}),
        ("e5_prefix", "passage", {"input": ["passage: a"]}),
    ],
)
def test_query_and_passage_are_told_apart_in_the_services_way(
    vendor: Vendor, http: httpx.Client, style: str, kind: InputKind, sent: dict[str, Any]
) -> None:
    vendor.will_say(rows([1, 0]))
    model_at(vendor.url, http, input_style=style).embed(["a"], kind=kind)
    body = vendor.seen[0].body
    assert {k: v for k, v in body.items() if k not in ("model", "encoding_format")} == sent


def test_dimensions_are_asked_for_when_the_model_can(vendor: Vendor, http: httpx.Client) -> None:
    vendor.will_say(rows([1, 0]))
    model = model_at(vendor.url, http, dimensions=2, request_dimensions=True)
    model.embed(["a"], kind="query")
    assert vendor.seen[0].body["dimensions"] == 2


def test_empty_texts_and_lone_surrogates_can_be_sent(vendor: Vendor, http: httpx.Client) -> None:
    vendor.will_say(rows([1, 0], [1, 0]))
    model_at(vendor.url, http).embed(["", "\ud800x"], kind="query")
    assert vendor.seen[0].body["input"] == [" ", "?x"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (rows([1, 0]), "1 vectors for 2 texts"),
        (rows([1, 0], [0, 1], order=[0, 0]), "2 vectors for 2 texts"),
        (rows([1, 0], [0, 1, 2]), "vectors of [2, 3] numbers instead of"),
        (rows([1, 0], [0, 0]), "zero or not a number"),
        (rows([1, 0], ["x", "y"]), "not a list of numbers"),
        (rows([1, 0], "?"), "not a list of numbers"),
        ({"object": "list", "data": None}, "0 vectors for 2 texts"),
    ],
)
def test_an_odd_answer_is_a_bad_response(
    vendor: Vendor, http: httpx.Client, answer: Any, words: str
) -> None:
    vendor.will_say(answer)
    with pytest.raises(ModelError) as caught:
        model_at(vendor.url, http).embed(["a", "b"], kind="passage")
    assert caught.value.kind == "bad_response"
    assert words in caught.value.provider_message


def test_another_length_than_promised_is_a_bad_response(vendor: Vendor, http: httpx.Client) -> None:
    vendor.will_say(rows([1, 0]))
    with pytest.raises(ModelError, match="not a valid answer"):
        model_at(vendor.url, http, dimensions=3).embed(["a"], kind="query")


def test_no_texts_need_no_call(vendor: Vendor, http: httpx.Client) -> None:
    assert model_at(vendor.url, http, dimensions=2).embed([], kind="query").shape == (0, 2)
    assert vendor.seen == []


def test_dimensions_are_learnt_from_the_service(vendor: Vendor, http: httpx.Client) -> None:
    vendor.will_say(rows([1, 0, 0]))
    model = model_at(vendor.url, http)
    assert (model.dimensions, model.dimensions) == (3, 3)
    assert len(vendor.seen) == 1


def test_the_built_in_embedder_puts_like_texts_together(
    local_server: LocalServer, http: httpx.Client
) -> None:
    endpoint = Endpoint(
        base_url=local_server.url, model_id="multilingual-e5-small", api_key=local_server.key
    )
    style = EmbeddingStyle(dimensions=384, input_style="input_type", encoding_format="base64")
    model = OpenAIEmbeddingModel(endpoint, http=http, style=style, identity="e5")
    question = model.embed(["法国的首都是哪里？"], kind="query")[0]
    passages = model.embed(["Paris is the capital of France.", "Cats sleep a lot."], kind="passage")
    near, far = passages @ question
    assert near > far + 0.03
