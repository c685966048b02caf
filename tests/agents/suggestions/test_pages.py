"""Suggestions on pages and over the socket."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.urls import reverse

from agents.models import Agent, AgentRun, Conversation, SuggestionEvent, SuggestionSet
from agents.suggestions.follow_ups import begin_follow_ups, make_follow_ups
from core.aio import in_db
from tests.agents.live.test_consumer import window
from tests.agents.suggestions.conftest import Writer, a_job, answered, configure, model_says
from tests.factories.agents import make_agent
from tests.personas import Persona

HTMX: dict[str, Any] = {"HTTP_HX_REQUEST": "true"}


def ready(persona: Persona, run: AgentRun) -> SuggestionSet:
    row = begin_follow_ups(persona.actor, run, locale="en")
    assert row is not None
    make_follow_ups(a_job(), set_id=row.pk)
    row.refresh_from_db()
    return row


def test_the_conversation_offers_them_behind_the_last_answer(
    asker: Persona, writer: Writer
) -> None:
    run = answered(asker)
    writer(model_says("Who approves leave?"))
    row = ready(asker, run)
    body = asker.client.get(reverse("conversation", args=[run.conversation_id])).content.decode()
    assert "Who approves leave?" in body
    assert f'data-suggestions="{row.pk}"' in body


def test_new_ones_are_asked_for_in_place(asker: Persona, writer: Writer) -> None:
    run = answered(asker)
    writer(model_says("Who approves leave?"))
    ready(asker, run)
    address = reverse("message_suggestions", args=[run.answer_id])
    body = asker.client.post(address, {"again": "1"}, **HTMX).content.decode()
    assert "Thinking of questions" in body
    assert "Who approves leave?" not in body


def test_another_agent_swaps_the_starters(asker: Persona) -> None:
    agent = make_agent(
        asker.space,
        config={"question_suggestions": {"starters": {"mode": "curated", "items": ["Hello?"]}}},
    )
    address = reverse("starters")
    body = asker.client.get(address, {"agent_id": str(agent.pk)}).content.decode()
    assert "Hello?" in body
    assert asker.client.get(address, {"agent_id": "nonsense"}).status_code == 400


def test_a_posted_question_from_a_starter_carries_it(asker: Persona) -> None:
    Agent.objects.update(
        config={"question_suggestions": {"starters": {"mode": "curated", "items": ["Hello?"]}}}
    )
    asker.client.get(reverse("chat_new"))
    row = SuggestionSet.objects.get()
    asker.client.post(
        reverse("chat_new"),
        {
            "text": "Hello?",
            "client_id": "1",
            "suggestion_set": str(row.pk),
            "suggestion_key": "g1-1",
        },
    )
    question = Conversation.objects.get().messages.get()
    assert question.suggestion_set == row


def test_events_come_in_batches(asker: Persona, writer: Writer) -> None:
    writer(model_says("Who approves leave?"))
    row = ready(asker, answered(asker))
    event = {"set": str(row.pk), "action": "impression", "key": "g1-1"}
    address = reverse("suggestion_events")

    def send(body: object) -> int:
        response = asker.client.post(address, json.dumps(body), content_type="application/json")
        return int(response.status_code)

    assert send({"events": [event, event]}) == 204
    assert SuggestionEvent.objects.count() == 1
    assert send({"events": [{**event, "action": "applause"}]}) == 400
    assert send({"events": [event] * 51}) == 400
    assert send("nonsense") == 400


@pytest.mark.django_db(transaction=True)
async def test_open_windows_are_told_when_they_are_ready(asker: Persona, writer: Writer) -> None:
    run = await in_db(answered, asker)
    writer(model_says("Who approves leave?"))
    async with window(asker, run.conversation_id) as socket:
        await socket.open()
        await in_db(ready, asker, run)
        frame = await socket.frame()
    (op,) = frame["ops"]
    assert op["to"] == f"#run-{run.pk}-suggestions"
    assert "Who approves leave?" in op["html"]


def test_switched_off_there_is_nothing_on_the_page(asker: Persona) -> None:
    configure(enabled=False)
    run = answered(asker)
    body = asker.client.get(reverse("conversation", args=[run.conversation_id])).content.decode()
    assert "data-suggestions=" not in body
