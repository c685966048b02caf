"""The memory page: one's own and nobody else's, with everything one can do there."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.urls import reverse

from agents.constants import MemoryKind, MemoryState, MemoryWriting
from agents.memory.owners import own_memory
from agents.memory.recall import recall_for
from agents.models import AgentRun, MemoryItem, MemorySettings, MemoryTombstone, MemoryTopic
from agents.services.conversations import Question, ask
from knowledge.models import Document
from providers.models import AIModel
from tests.agents.memory.conftest import keep
from tests.factories.knowledge import make_base, make_document
from tests.factories.memory import make_familiar, make_topic
from tests.personas import Persona

HTMX: dict[str, Any] = {"HTTP_HX_REQUEST": "true"}
SETTINGS = {
    "is_enabled": "on",
    "writing": "auto",
    "instructions": "Keep teams.",
    "debounce_seconds": 90,
    "min_interval_seconds": 300,
    "capacity": 200,
    "promote_after": 3,
}


def page(persona: Persona) -> str:
    response = persona.client.get(reverse("memory"))
    assert response.status_code == 200
    return str(response.content.decode())


def test_the_page_shows_ones_own_memory_alone(
    cora_remembers: Persona, adam: Persona, olivia: Persona, mallory: Persona
) -> None:
    keep(cora_remembers, "The plant is in Ulm")
    assert "The plant is in Ulm" in page(cora_remembers)
    for other in (adam, olivia, mallory):
        assert "Ulm" not in page(other)
        export = other.client.get(reverse("memory_export"))
        assert b"Ulm" not in export.content


def test_an_empty_memory_says_how_it_is_filled(cora_remembers: Persona) -> None:
    assert "remember that I prefer metric units" in page(cora_remembers)


def test_memory_that_is_off_says_who_can_switch_it_on(
    cora_remembers: Persona, adam: Persona
) -> None:
    MemorySettings.objects.update(is_enabled=False)
    assert "an administrator can turn it on" in page(cora_remembers)
    assert reverse("memory_settings") not in page(cora_remembers)
    assert reverse("memory_settings") in page(adam)


def test_a_person_writes_changes_and_confirms(cora_remembers: Persona) -> None:
    client = cora_remembers.client
    client.post(reverse("memory_add"), {"text": "I work in tax", "kind": "profile"})
    item = MemoryItem.objects.get()
    address = reverse("memory_item", args=[item.pk])
    assert b"I work in tax" in client.get(address).content
    client.post(address, {"text": "I work in law", "kind": "profile"})
    item.refresh_from_db()
    assert item.text == "I work in law"
    MemoryItem.objects.update(state=MemoryState.PENDING)
    assert "Is this right?" in page(cora_remembers)
    client.post(reverse("memory_confirm", args=[item.pk]))
    assert MemoryItem.objects.get().state == MemoryState.ACTIVE


@pytest.mark.parametrize(
    "text", ["", "sk-abcdefghijklmnop1234", "x" * 301], ids=["blank", "secret", "too long"]
)
def test_what_cannot_be_kept_is_told_beside_the_field(cora_remembers: Persona, text: str) -> None:
    response = cora_remembers.client.post(reverse("memory_add"), {"text": text, "kind": "fact"})
    assert response.status_code == 422
    assert b'id="id_text_error"' in response.content
    assert not MemoryItem.objects.exists()


def test_forgetting_in_the_page_can_be_undone_in_place(cora_remembers: Persona) -> None:
    item = keep(cora_remembers, "The plant is in Ulm")
    client = cora_remembers.client
    response = client.post(reverse("memory_forget", args=[item.pk]), {"where": "page"}, **HTMX)
    body = response.content.decode()
    assert "The memory was forgotten." in body
    assert not MemoryItem.objects.exists()
    token = re.search(r'name="token" value="([^"]+)"', body)
    assert token is not None
    response = client.post(reverse("memory_restore"), {"token": token[1], "where": "page"}, **HTMX)
    assert "The plant is in Ulm" in response.content.decode()
    assert MemoryItem.objects.get().text == "The plant is in Ulm"
    assert not MemoryTombstone.objects.exists()


def test_about_a_hidden_source_only_its_existence_is_shown(cora_remembers: Persona) -> None:
    document = make_document(make_base(cora_remembers.space))
    item = keep(cora_remembers, "The plant is in Ulm", document_ids=(str(document.pk),))
    Document.objects.filter(pk=document.pk).update(state="deleting")
    client = cora_remembers.client
    shown = page(cora_remembers)
    assert "Ulm" not in shown
    assert "About sources you may not see now" in shown
    assert client.get(reverse("memory_item", args=[item.pk])).status_code == 404
    assert b"Ulm" not in client.get(reverse("memory_export")).content
    body = client.post(reverse("memory_forget", args=[item.pk]), **HTMX).content.decode()
    assert "token" not in body
    assert not MemoryItem.objects.exists()


def test_export_holds_everything_as_json(cora_remembers: Persona) -> None:
    keep(cora_remembers, "The plant is in Ulm")
    document = make_document(make_base(cora_remembers.space), name="manual.pdf")
    make_familiar(cora_remembers.space, user=cora_remembers.user, document=document)
    make_topic(cora_remembers.space, user=cora_remembers.user)
    response = cora_remembers.client.get(reverse("memory_export"))
    assert response.headers["Content-Disposition"].startswith("attachment")
    exported = json.loads(response.content)
    assert [item["text"] for item in exported["items"]] == ["The plant is in Ulm"]
    assert exported["familiar_documents"][0]["name"] == "manual.pdf"
    assert exported["topics"][0]["name"] == "Flaps"


def test_everything_is_forgotten_only_after_the_word(cora_remembers: Persona) -> None:
    keep(cora_remembers, "The plant is in Ulm")
    address = reverse("memory_forget_everything")
    cora_remembers.client.post(address, {"word": "no"})
    assert MemoryItem.objects.exists()
    cora_remembers.client.post(address, {"word": " Forget "})
    assert not MemoryItem.objects.exists()


def test_topics_are_promoted_and_deleted(cora_remembers: Persona) -> None:
    topic = make_topic(cora_remembers.space, user=cora_remembers.user, name="Valves")
    assert "Valves" in page(cora_remembers)
    cora_remembers.client.post(reverse("memory_topic_promote", args=[topic.pk]))
    assert MemoryItem.objects.get().kind == MemoryKind.INTEREST
    other = make_topic(cora_remembers.space, user=cora_remembers.user, name="Pumps")
    cora_remembers.client.post(reverse("memory_topic_delete", args=[other.pk]))
    assert not MemoryTopic.objects.filter(pk=other.pk).exists()


def test_ones_own_switch(cora_remembers: Persona) -> None:
    cora_remembers.client.post(reverse("memory_switch"), {"is_on": "0"})
    assert not own_memory(cora_remembers.actor).is_enabled
    assert "Your memory is off" in page(cora_remembers)
    cora_remembers.client.post(reverse("memory_switch"), {"is_on": "1"})
    assert own_memory(cora_remembers.actor).is_enabled


def test_tidying_is_followed_until_its_result(cora_remembers: Persona) -> None:
    from core.jobs.work import work

    keep(cora_remembers, "The plant is in Ulm")
    client, address = cora_remembers.client, reverse("memory_tidy")
    assert "every 2s" in client.post(address, **HTMX).content.decode()
    assert work("default")
    body = client.get(address, **HTMX).content.decode()
    assert "every 2s" not in body
    assert "0 merged" in body


def test_admins_set_how_the_space_remembers(cora_remembers: Persona, adam: Persona) -> None:
    assert adam.client.post(reverse("memory_settings"), SETTINGS).status_code == 302
    row = MemorySettings.objects.get()
    assert (row.writing, row.instructions) == (MemoryWriting.AUTO, "Keep teams.")


def test_learning_needs_a_model_that_writes(cora_remembers: Persona, adam: Persona) -> None:
    AIModel.objects.update(parameters={"extractive": True})
    response = adam.client.post(reverse("memory_settings"), SETTINGS)
    assert response.status_code == 422
    assert "only quotes documents" in response.content.decode()
    assert MemorySettings.objects.get().writing == MemoryWriting.EXPLICIT


def test_numbers_out_of_bounds_are_told_beside_the_field(
    cora_remembers: Persona, adam: Persona
) -> None:
    values = {**SETTINGS, "writing": "explicit_only", "capacity": 5}
    response = adam.client.post(reverse("memory_settings"), values)
    assert response.status_code == 422
    assert "Between 10 and 2000." in response.content.decode()


def test_switching_learning_on_does_not_read_what_was_said_before(
    cora_remembers: Persona, adam: Persona
) -> None:
    before = own_memory(cora_remembers.actor).read_until
    adam.client.post(reverse("memory_settings"), SETTINGS)
    after = own_memory(cora_remembers.actor).read_until
    assert before is not None
    assert after is not None
    assert after > before


def test_the_conversation_shows_what_was_remembered_and_used(cora_remembers: Persona) -> None:
    keep(cora_remembers, "I work in finance", kind=MemoryKind.PROFILE)
    run = ask(cora_remembers.actor, Question(text="Remember that the plant is in Ulm"))
    assert run.agent is not None
    recall_for(cora_remembers.actor, run, run.agent.settings)
    AgentRun.objects.filter(pk=run.pk).update(state="done")
    address = reverse("conversation", args=[run.conversation_id])
    body = cora_remembers.client.get(address).content.decode()
    assert "Remembered" in body
    assert "the plant is in Ulm" in body
    assert "Used 1 memory" in body
    assert "I work in finance" in body


def test_the_page_takes_a_fixed_number_of_queries(
    cora_remembers: Persona, django_assert_max_num_queries: object
) -> None:
    for number in range(3):
        keep(cora_remembers, f"Hall {number} holds machine {number}")
    cora_remembers.client.get(reverse("memory"))
    with django_assert_max_num_queries(40):  # type: ignore[operator]  # a fixture
        cora_remembers.client.get(reverse("memory"))
