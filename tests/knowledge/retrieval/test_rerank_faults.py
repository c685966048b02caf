"""A rerank service that misbehaves over HTTP: the search goes on in its own order, and says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from core.addresses import parse_allow_list
from knowledge.models import KnowledgeBase
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RerankWish, RetrievalSettings
from providers.constants import ModelType
from tests.factories.providers import make_model
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona
from tests.providers.vendor import Answer, Vendor, running_vendor

pytestmark = pytest.mark.django_db
TEXTS = ("The notice period is two weeks.", "Notice of travel is given.", "A period of rest.")


@pytest.fixture
def vendor(settings: Settings) -> Iterator[Vendor]:
    settings.SSRF_ALLOW = parse_allow_list(("127.0.0.1",))
    with running_vendor() as running:
        yield running


@pytest.fixture
def search(base: KnowledgeBase, words: WordModel, vendor: Vendor, victor: Persona):
    """Search three passages with the vendor's rerank model, as the product builds it."""
    for text in TEXTS:
        add_document(base, text)
    model = make_model(base.space, type=ModelType.RERANK, base_url=vendor.url, api_key="secret-key")

    def run(rerank: RerankWish = "always", **settings: Any):
        wished = RetrievalSettings(rerank=rerank, rerank_model_id=model.pk, **settings)
        scope = Scope(base_ids=(base.pk,))
        return retrieve(victor.actor, query="notice period", scope=scope, settings=wished)

    return run


def results(*pairs: tuple[Any, Any]) -> Answer:
    rows = [{"index": index, "relevance_score": score} for index, score in pairs]
    return Answer(pieces=[json.dumps({"results": rows}).encode()])


def test_an_answer_in_order_is_used(search, vendor):
    vendor.will(results((2, 0.9), (1, 0.5), (0, 0.1)))
    found = search()
    assert (found.trace.rerank_mode, found.warnings) == ("mix", ())
    assert sorted(hit.rerank_score for hit in found.hits) == [0.1, 0.5, 0.9]


FAULTS = [
    pytest.param(Answer(pieces=[b"{}"], status=500), id="500"),
    pytest.param(Answer(pieces=[b"slow down"], status=429), id="429"),
    pytest.param(Answer(pieces=[b'{"results": ['], cut=True), id="cut off"),
    pytest.param(Answer(pieces=[b"no json"]), id="no json"),
    pytest.param(Answer(pieces=[b"[" * 100_000]), id="deep json"),
    pytest.param(Answer(pieces=[b'{"results": "none"}']), id="no list"),
    pytest.param(Answer(pieces=[b" " * 1_000_000] * 3), id="too long"),
    pytest.param(results((0, float("nan")), (1, 0.5), (2, 0.1)), id="nan"),
    pytest.param(results((0, float("inf")), (1, 0.5), (2, 0.1)), id="infinite"),
    pytest.param(results((0, 10**400), (1, 0.5), (2, 0.1)), id="beyond floats"),
    pytest.param(results((0, "0.9"), (1, "high"), (2, 0.1)), id="strings"),
    pytest.param(results((0, None), (1, 0.5), (2, 0.1)), id="null"),
    pytest.param(results((0, True), (1, False), (2, 0.1)), id="yes and no"),
    pytest.param(results((0, 0.9), (1, 0.5)), id="too few"),
    pytest.param(results((0, 0.9), (1, 0.5), (2, 0.1), (2, 0.1)), id="too many"),
    pytest.param(results((0, 0.9), (1, 0.5), (1, 0.1)), id="repeated index"),
    pytest.param(results((0, 0.9), (1, 0.5), (3, 0.1)), id="index of nothing"),
    pytest.param(results((0, 0.9), (1, 0.5), (-1, 0.1)), id="negative index"),
    pytest.param(results((0, 0.9), (True, 0.5), (2, 0.1)), id="index is a yes"),
    pytest.param(results((0, 0.9), ("1", 0.5), (2, 0.1)), id="index is a string"),
    pytest.param(results((0, 0.9), (1.0, 0.5), (2, 0.1)), id="index is a fraction"),
]


@pytest.mark.parametrize("answer", FAULTS)
def test_a_fault_leaves_the_searches_own_order_and_warns(search, vendor, answer):
    vendor.will(answer)
    found = search()
    assert found.trace.rerank_mode == "none"
    assert [hit.rerank_score for hit in found.hits] == [None, None, None]
    (warning,) = found.warnings
    assert warning.startswith("The rerank model failed (")
    assert warning == found.trace.rerank_reason
    assert "secret-key" not in warning
    assert [hit.chunk_id for hit in found.hits] == [h.chunk_id for h in search("never").hits]


@pytest.mark.parametrize("pieces", [(), (b'{"results"', b": [")], ids=["silent", "half a body"])
def test_a_service_that_hangs_is_left_after_the_settings_seconds(
    search, vendor, settings: Settings, pieces
):
    settings.RERANK_SECONDS = 0.3
    vendor.will(Answer(pieces=pieces, hang=True))
    found = search()
    assert found.trace.rerank_mode == "none"
    assert "did not answer in time" in found.warnings[0]
    assert len(found.hits) == 3


@pytest.mark.parametrize(
    "scores", [(3.5, -2.0, -9.0), (40.0, 20.0, 1.5)], ids=["negative", "over one"]
)
def test_scores_of_any_range_order_but_know_no_threshold(search, vendor, scores):
    pairs = list(enumerate(scores))
    vendor.will(results(*pairs), results(*pairs))
    plain, limited = search(), search(rerank_threshold=0.5)
    assert plain.trace.rerank_mode == "mix"
    assert [hit.chunk_id for hit in limited.hits] == [hit.chunk_id for hit in plain.hits]
    assert all(0 <= hit.score <= 1 for hit in plain.hits)
    assert "its threshold was not applied" in limited.warnings[0]


def test_a_threshold_drops_what_the_model_finds_weak(search, vendor):
    vendor.will(results((0, 0.9), (1, 0.2), (2, 0.5)))
    found = search(rerank_threshold=0.5)
    assert sorted(hit.rerank_score for hit in found.hits) == [0.5, 0.9]
    (dropped,) = [each for each in found.trace.candidates if each.dropped_by]
    assert (dropped.dropped_by, dropped.rerank_score) == ("rerank_threshold", 0.2)
