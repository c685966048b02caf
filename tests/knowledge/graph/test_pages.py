"""The page of a base's graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import reverse

from core.models import BackgroundJob
from core.tenancy import space_scope
from knowledge.base_settings import GraphOptions
from knowledge.graph.storing import store_failure
from knowledge.models import Chunk, GraphEntity, KnowledgeBase
from providers.constants import ModelType
from tests.factories.graphs import make_graph, switch_on
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.personas import Persona

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    made = make_base(olivia.space, name="Harbour", created_by=olivia.user)
    with space_scope(olivia.space.pk):
        make_document(made, name="pier.txt", texts=["Harbour Trust owns Pier 7.", "Nobody knows."])
        yield made


@pytest.fixture
def drawn(base: KnowledgeBase) -> KnowledgeBase:
    switch_on(base)
    first, second = Chunk.objects.filter(document__base=base).order_by("position")
    make_graph(first, triples=[("Harbour <b>Trust", "owns", "Pier 7")])
    store_failure(second, "The model answered nothing.", options=GraphOptions())
    return base


def page(persona: Persona, base: KnowledgeBase, **query: Any) -> str:
    response = persona.client.get(reverse("base_graph", args=[base.pk]), query)
    assert response.status_code == 200
    return response.content.decode()


def test_the_empty_state_tells_how_to_switch_it_on(
    olivia: Persona, victor: Persona, base: KnowledgeBase
) -> None:
    assert "#id_graph_is_enabled" in page(olivia, base)
    html = page(victor, base)
    assert "Who manages this knowledge base" in html
    assert "id_graph_is_enabled" not in html
    assert (
        "id_graph_is_enabled"
        in olivia.client.get(reverse("base_settings", args=[base.pk])).content.decode()
    )


def test_the_graph_is_drawn_and_listed(olivia: Persona, drawn: KnowledgeBase) -> None:
    html = page(olivia, drawn)
    assert 'id="graph-data"' in html
    assert "Harbour &lt;b&gt;Trust" in html
    assert "Harbour <b>Trust" not in html
    assert "The model answered nothing." in html
    assert "Pier 7" in page(olivia, drawn, q="pier")
    assert "Harbour &lt;b" not in page(olivia, drawn, q="pier")
    assert "No such entity" in page(olivia, drawn, q="zeppelin")


def test_an_entity_shows_relations_and_passages_with_links(
    olivia: Persona, drawn: KnowledgeBase
) -> None:
    entity = GraphEntity.objects.get(normalised_name="pier 7")
    address = reverse("base_graph_entity", args=[drawn.pk, entity.pk])
    whole = olivia.client.get(address).content.decode()
    part = olivia.client.get(address, headers=HTMX).content.decode()
    assert "<html" in whole
    assert "<html" not in part
    for html in (whole, part):
        assert "owns" in html
        assert "Harbour &lt;b&gt;Trust" in html
        assert "#chunk-" in html


def test_reading_is_begun_stopped_and_emptied(olivia: Persona, drawn: KnowledgeBase) -> None:
    make_model(olivia.space, type=ModelType.CHAT, is_default=True)
    address = reverse("base_graph_read", args=[drawn.pk])
    response = olivia.client.post(address, {"action": "build"}, follow=True)
    assert "The graph is being read." in response.content.decode()
    assert BackgroundJob.objects.filter(name="knowledge.build_graph").count() == 1
    assert olivia.client.post(address, {"action": "stop"}).status_code == 302
    assert olivia.client.post(address, {"action": "clear"}).status_code == 302
    assert not GraphEntity.objects.exists()
    assert olivia.client.post(address, {"action": "other"}).status_code == 400


def test_why_nothing_can_be_read_is_said(olivia: Persona, base: KnowledgeBase) -> None:
    switch_on(base)
    assert "callout warn" in page(olivia, base)
    response = olivia.client.post(
        reverse("base_graph_read", args=[base.pk]), {"action": "build"}, follow=True
    )
    assert "The graph is being read." not in response.content.decode()


def test_a_preview_that_fails_says_why(olivia: Persona, drawn: KnowledgeBase) -> None:
    address = reverse("base_graph_preview", args=[drawn.pk])
    assert olivia.client.get(address).status_code == 200
    assert olivia.client.post(address, {"text": ""}).status_code == 422
    html = olivia.client.post(address, {"text": "Ada keeps the lamp."}).content.decode()
    assert 'role="alert"' in html
