"""The pages of stores: the list, the form with its test, the store of a base."""

from __future__ import annotations

from typing import Any

import pytest
from celery import current_app
from django.core.cache import cache
from django.urls import reverse

from core.tenancy import space_scope
from knowledge.models import KnowledgeBase, VectorStore
from tests.factories.knowledge import make_base
from tests.factories.stores import make_store
from tests.knowledge.search_models import WordModel, add_document
from tests.knowledge.stores.worlds import MemoryStore, put_store_behind, work_off
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
FORM = {
    "name": "Far",
    "kind": "qdrant",
    "address": "https://vectors.example.com:6333",
    "api_key": "s3cret",
    "search_seconds": "2",
    "write_seconds": "30",
}


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> MemoryStore:
    store = MemoryStore()
    monkeypatch.setattr("knowledge.stores.services.make_store", lambda row: store)
    return store


def text_of(response: Any, status: int = 200) -> str:
    assert response.status_code == status
    return " ".join(response.content.decode().split())


def test_a_store_is_tried_added_changed_and_deleted(olivia: Persona, memory: MemoryStore) -> None:
    client = olivia.client
    assert "every knowledge base asks PostgreSQL" in text_of(client.get(reverse("vector_stores")))
    report = text_of(client.post(reverse("vector_store_new_test"), FORM))
    assert "Memory 1 answers." in report
    with space_scope(olivia.space.pk):
        assert not VectorStore.objects.exists()
    client.post(reverse("vector_store_new"), FORM)
    page = text_of(client.get(reverse("vector_stores")))
    assert "Far" in page
    assert "0 knowledge bases · 0 vectors" in page
    with space_scope(olivia.space.pk):
        row = VectorStore.objects.get()
    form = text_of(client.get(reverse("vector_store", args=[row.pk])))
    assert "s3cret" not in form
    assert "Stored. Leave empty to keep it." in form
    changed = {**FORM, "name": "Farther", "api_key": ""}
    client.post(reverse("vector_store", args=[row.pk]), changed)
    with space_scope(olivia.space.pk):
        row.refresh_from_db()
        assert (row.name, row.api_key) == ("Farther", "s3cret")
    client.post(reverse("vector_store_delete", args=[row.pk]))
    with space_scope(olivia.space.pk):
        assert not VectorStore.objects.exists()


def test_a_server_that_does_not_answer_is_not_saved(olivia: Persona, memory: MemoryStore) -> None:
    memory.fails = True
    assert "does not answer" in text_of(olivia.client.post(reverse("vector_store_new"), FORM), 422)
    assert "does not answer" in text_of(olivia.client.post(reverse("vector_store_new_test"), FORM))
    inner = {**FORM, "address": "http://127.0.0.1:6333"}
    assert "WEKNORA_SSRF_ALLOW" in text_of(
        olivia.client.post(reverse("vector_store_new"), inner), 422
    )


def test_a_base_is_moved_on_its_page(
    olivia: Persona, words: WordModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryStore()
    row = make_store(olivia.space, name="Memory")
    put_store_behind(monkeypatch, row, lambda: store)
    base = make_base(olivia.space, created_by=olivia.user, embedding_identity=words.identity)
    with space_scope(olivia.space.pk):
        add_document(base, "One lamp.", "Two ropes.", model=words)
    url = reverse("base_store", args=[base.pk])
    client = olivia.client
    assert "Memory" in text_of(client.get(url))
    page = text_of(client.post(url, {"action": "start", "store": row.pk}, follow=True))
    assert "0 of 2 vectors" in page
    assert "every 2s" in page
    with space_scope(olivia.space.pk):
        work_off()
    fragment = text_of(client.get(url, headers={"HX-Request": "true"}))
    assert "<html" not in fragment
    assert "the move can be undone" in fragment
    assert "every 2s" not in fragment
    settings = text_of(client.get(reverse("base_settings", args=[base.pk])))
    assert "Move to another store" in settings
    assert "Undone" in text_of(client.post(url, {"action": "undo"}, follow=True))
    assert "was undone" in text_of(client.get(url))
    with space_scope(olivia.space.pk):
        assert KnowledgeBase.objects.get(pk=base.pk).vector_store_id is None


@pytest.mark.parametrize("action", ["cancel", "undo", "finish", "start", "dance"])
def test_what_does_not_fit_is_refused_with_words(olivia: Persona, action: str) -> None:
    base = make_base(olivia.space, created_by=olivia.user)
    url = reverse("base_store", args=[base.pk])
    page = text_of(olivia.client.post(url, {"action": action}, follow=True))
    assert "load the page again" in page or "Choose the vector" in page or "Say start" in page


def test_viewers_see_no_addresses(victor: Persona) -> None:
    make_store(victor.space, address="https://inner.example.com")
    assert "inner.example.com" not in text_of(victor.client.get(reverse("vector_stores")))
