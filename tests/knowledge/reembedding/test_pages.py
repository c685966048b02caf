"""The page of a base's embedding model: what people see and do, and what the comparison shows them."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from core.errors import AccessDenied
from core.tenancy import space_scope
from knowledge.access.restrict import Place, restrict
from knowledge.constants import EmbeddingChangeState
from knowledge.models import Document, EmbeddingChange
from knowledge.reembedding.compare import compare
from knowledge.reembedding.services import start_change
from knowledge.retrieval.models import embed_query
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings
from providers.constants import ModelType
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.providers import make_model
from tests.knowledge.reembedding.conftest import Shelf
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


def address(shelf: Shelf, name: str = "base_embedding") -> str:
    return reverse(name, args=[shelf.base.pk])


def text_of(response: Any) -> str:
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def act(shelf: Shelf, who: Persona, action: str, **data: Any) -> str:
    response = who.client.post(address(shelf), {"action": action, **data}, follow=True)
    return text_of(response)


def ready(shelf: Shelf) -> EmbeddingChange:
    change = start_change(shelf.olivia.actor, base_id=shelf.base.pk, model_id=shelf.new.pk)
    assert change is not None
    shelf.work_off()
    change.refresh_from_db()
    assert change.state == EmbeddingChangeState.READY
    return change


def test_the_choice_names_passages_tokens_and_money(shelf: Shelf) -> None:
    shelf.new.parameters = {"input_price": 100_000, "currency": "EUR"}
    shelf.new.save()
    page = text_of(shelf.olivia.client.get(address(shelf)))
    assert "Old of Shelf" in page
    assert "New of Shelf" in page
    assert "3 passages · about 25 tokens · about 2.50 EUR" in page


def test_the_whole_way_on_the_page(shelf: Shelf) -> None:
    olivia = shelf.olivia
    page = act(shelf, olivia, "start", model=shelf.new.pk)
    assert "0 of 3 passages" in page
    assert "every 2s" in page
    shelf.work_off()
    fragment = olivia.client.get(address(shelf), headers={"HX-Request": "true"})
    assert "3 of 3 passages" in text_of(fragment)
    assert "<html" not in text_of(fragment)
    assert "every 2s" not in text_of(fragment)
    assert "Switched" in act(shelf, olivia, "cut_over")
    assert "until then it can be undone" in text_of(olivia.client.get(address(shelf)))
    assert "Switched" in act(shelf, olivia, "undo")
    assert "was undone" in text_of(olivia.client.get(address(shelf)))
    act(shelf, olivia, "start", model=shelf.new.pk)
    shelf.work_off()
    act(shelf, olivia, "cut_over")
    assert "Finished" in act(shelf, olivia, "finish")


@pytest.mark.parametrize("action", ["cut_over", "undo", "finish", "cancel", "start", "dance"])
def test_what_does_not_fit_is_refused_with_words(shelf: Shelf, action: str) -> None:
    page = act(shelf, shelf.olivia, action)
    assert "load the page again" in page or "Choose the embedding" in page or "Say start" in page
    assert not EmbeddingChange.objects.exists()


def test_the_comparison_shows_both_columns_and_what_moved(shelf: Shelf) -> None:
    change = ready(shelf)
    found = compare(shelf.olivia.actor, change, "lamp pier")
    assert found.shared == len({each.hit.chunk_id for each in (*found.old, *found.new)})
    assert found.old[0].hit.text.startswith("The lamp")
    assert found.old[0].mark == "same"
    query = {"question": "lamp pier"}
    headers = {"HX-Request": "true"}
    url = address(shelf, "base_embedding_compare")
    page = text_of(shelf.olivia.client.get(url, query, headers=headers))
    assert "found by both" in page
    assert page.count("harbour.txt") >= 2
    assert "same place" in page


def test_the_comparison_marks_what_only_one_model_finds(shelf: Shelf) -> None:
    shelf.add(*(f"The lamp number {n} burns." for n in range(15)), name="lamps.txt")
    change = ready(shelf)
    found = compare(shelf.olivia.actor, change, "lamp")
    for mine, other in ((found.old, found.new), (found.new, found.old)):
        ranks = {each.hit.chunk_id: each.hit.rank for each in other}
        for each in mine:
            there = ranks.get(each.hit.chunk_id)
            moved = there - each.hit.rank if there else 0
            mark = "only" if there is None else "up" if moved > 0 else "down" if moved else "same"
            assert (each.mark, each.moved) == (mark, abs(moved))


def test_the_comparison_shows_only_what_may_be_seen(shelf: Shelf, victor: Persona) -> None:
    change = ready(shelf)
    Document.objects.filter(name="harbour.txt").update(trashed_at=timezone.now())
    found = compare(shelf.olivia.actor, change, "lamp pier")
    assert {each.hit.document_name for each in (*found.old, *found.new)} == {"signals.txt"}
    with pytest.raises(AccessDenied):
        compare(victor.actor, change, "lamp pier")


def test_naming_a_model_opens_nothing(shelf: Shelf, victor: Persona, cora: Persona) -> None:
    ready(shelf)
    document = Document.objects.get(name="harbour.txt")
    place = Place(base_id=shelf.base.pk, document_id=document.pk)
    restrict(shelf.olivia.actor, place, user_ids=[cora.user.pk], group_ids=[])
    wished = RetrievalSettings(embedding_model_id=shelf.new.pk)
    scope = Scope(base_ids=(shelf.base.pk,))
    for who, names in ((victor, {"signals.txt"}), (cora, {"signals.txt", "harbour.txt"})):
        found = retrieve(who.actor, query="lamp pier", scope=scope, settings=wished)
        assert {hit.document_name for hit in found.hits} == names


def test_without_two_models_there_is_nothing_to_compare(shelf: Shelf) -> None:
    url = address(shelf, "base_embedding_compare")
    assert "start a change first" in text_of(shelf.olivia.client.get(url, {"question": "lamp"}))


def test_viewers_do_not_see_it(shelf: Shelf, victor: Persona, mallory: Persona) -> None:
    for who, status in ((victor, 403), (mallory, 404)):
        assert who.client.get(address(shelf)).status_code == status
        assert who.client.post(address(shelf), {"action": "cancel"}).status_code == status
        compared = address(shelf, "base_embedding_compare")
        assert who.client.get(compared, {"question": "lamp"}).status_code == status


def test_ones_own_questions_are_offered(shelf: Shelf, adam: Persona) -> None:
    make_model(shelf.olivia.space, type=ModelType.CHAT, is_default=True)
    agent = make_agent(shelf.olivia.space)
    for who, question in ((shelf.olivia, "Where is the lamp?"), (adam, "A secret question")):
        conversation = make_conversation(shelf.olivia.space, user=who.user, agent=agent)
        make_run(conversation, question=question, answer="There.")
    ready(shelf)
    page = text_of(shelf.olivia.client.get(address(shelf)))
    assert "Where is the lamp?" in page
    assert "A secret question" not in page


def test_a_search_may_name_a_model_that_the_base_has_vectors_of(shelf: Shelf) -> None:
    ready(shelf)
    scope = Scope(base_ids=(shelf.base.pk,))
    wished = RetrievalSettings(embedding_model_id=shelf.new.pk)
    found = retrieve(shelf.olivia.actor, query="lamp pier", scope=scope, settings=wished)
    assert found.warnings == ()
    assert found.hits[0].dense_score is not None
    vectors = embed_query("lamp", [shelf.base], model_id=shelf.new.pk)
    assert [each.identity for each in vectors.vectors] == ["new/1"]


def test_a_named_model_without_vectors_there_finds_by_words_and_says_so(
    shelf: Shelf, mallory: Persona
) -> None:
    vectors = embed_query("lamp", [shelf.base], model_id=shelf.new.pk)
    assert vectors.vectors == ()
    assert "has no vectors of this model" in vectors.warnings[0]
    with space_scope(mallory.space.pk):
        theirs = make_model(mallory.space, type=ModelType.EMBEDDING)
    shelf.models.by_row[theirs.pk] = shelf.new_words
    gone = embed_query("lamp", [shelf.base], model_id=theirs.pk)
    assert gone.vectors == ()
    assert "searched by words only" in gone.warnings[0]


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()
