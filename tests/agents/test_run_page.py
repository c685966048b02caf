"""The page of a run: who may see it, and what of it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEvent, Space
from agents.constants import RunState
from agents.engine.events import (
    AgentEvent,
    CitationAdded,
    RoundStarted,
    RunFinished,
    RunStarted,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)
from agents.models import AgentRun, Conversation, ModelUsage, RunEvent
from agents.queries import events_after
from knowledge.models import Document, KnowledgeBase
from providers.contracts.chat import Usage
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

SECRET_TEXT = "The flaps stick below zero."


def store(run: AgentRun, *events: AgentEvent) -> None:
    RunEvent.objects.bulk_create(
        RunEvent(
            space_id=run.space_id,
            run=run,
            seq=seq,
            seq_to=seq,
            type=event.type,
            data=event.model_copy(update={"seq": seq}).model_dump(mode="json"),
        )
        for seq, event in enumerate(events, 1)
    )
    for row in RunEvent.objects.filter(run=run):  # one event in ten seconds
        at = timezone.now() + timedelta(seconds=10 * row.seq)
        RunEvent.objects.filter(pk=row.pk).update(created_at=at)


def search_result(document: Document, **fields: Any) -> ToolCallFinished:
    hit = {
        "chunk_id": str(document.pk),
        "document_id": str(document.pk),
        "base_id": str(document.base_id),
        "name": document.name,
        "excerpt": SECRET_TEXT,
    }
    values = {"output": f"[c1] {SECRET_TEXT}", "data": {"hits": [hit]}, **fields}
    return ToolCallFinished(
        round=1,
        call_id="a",
        name="knowledge_search",
        ok=True,
        summary="1 passage",
        duration_ms=300,
        **values,
    )


@pytest.fixture
def document(cora: Persona) -> Document:
    return make_document(
        make_base(cora.space, name="Hangar"), name="flaps.txt", texts=[SECRET_TEXT]
    )


@pytest.fixture
def run(cora: Persona, document: Document) -> AgentRun:
    conversation = make_conversation(cora.space, user=cora.user, agent=make_agent(cora.space))
    found = make_run(conversation, question="Why do flaps stick?", answer="Ice.")
    with cora.scope():
        store(
            found,
            RunStarted(question="Why do flaps stick?", mode="react"),
            RoundStarted(round=1),
            UsageReported(
                round=1,
                purpose="round",
                model="Mistral",
                usage=Usage(input_tokens=1204, output_tokens=88),
                estimated=False,
                duration_ms=2100,
            ),
            ToolCallStarted(
                round=1,
                call_id="a",
                name="knowledge_search",
                arguments={"queries": ["flaps"], "api_key": "hunter22"},
                title="Searching",
            ),
            search_result(document),
            CitationAdded(
                marker=1,
                alias="c1",
                kind="chunk",
                document_id=str(document.pk),
                base_id=str(document.base_id),
                title=document.name,
            ),
            RunFinished(outcome="answered", reason="natural_stop", answer="Ice."),
        )
        ModelUsage.objects.create(
            space_id=cora.space.pk,
            run=found,
            seq=3,
            model_name="Mistral",
            purpose="round",
            cost="0.011",
        )
    return found


def page(persona: Persona, run: AgentRun, tab: str = "timeline", **headers: str) -> Any:
    return persona.client.get(reverse("run", args=[run.pk]), {"tab": tab}, headers=headers)


def open_others(space: Space, *, allowed: bool = True) -> None:
    Space.objects.filter(pk=space.pk).update(owners_may_open_conversations=allowed)


def test_the_page_tells_rounds_tools_tokens_cost_and_time(cora: Persona, run: AgentRun) -> None:
    text = page(cora, run).content.decode()
    for told in (
        "Round 1",
        "Mistral",
        "knowledge_search",
        "1,204 in, 88 out",
        "0.0110 USD",
        "2.1 s",
    ):
        assert told in text, told
    assert "Waiting for people" in text
    assert "hunter22" not in text, "a secret among the arguments"
    assert SECRET_TEXT in text


def test_the_answer_links_to_its_page(cora: Persona, run: AgentRun) -> None:
    text = cora.client.get(reverse("conversation", args=[run.conversation_id])).content.decode()
    assert reverse("run", args=[run.pk]) in text


@pytest.mark.parametrize("tab", ["messages", "events", "nonsense"])
def test_other_tabs_answer_too(cora: Persona, run: AgentRun, tab: str) -> None:
    assert page(cora, run, tab).status_code == 200


def test_an_open_run_renews_its_page_until_it_ends(cora: Persona, run: AgentRun) -> None:
    with cora.scope():
        AgentRun.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    text = page(cora, run).content.decode()
    assert 'hx-trigger="every 2s"' in text
    assert not page(cora, run, HX_Request="true").headers.get("HX-Refresh")
    with cora.scope():
        AgentRun.objects.filter(pk=run.pk).update(state=RunState.DONE)
    assert page(cora, run, HX_Request="true").headers["HX-Refresh"] == "true"
    assert "every 2s" not in page(cora, run).content.decode()


def test_the_export_holds_every_event(cora: Persona, run: AgentRun) -> None:
    body = json.loads(cora.client.get(reverse("run_export", args=[run.pk])).content)
    assert [event["type"] for event in body["events"]][-1] == "run_finished"
    assert body["events"][3]["arguments"] == {"queries": ["flaps"], "api_key": "•••"}
    assert body["run"]["id"] == str(run.pk)


class TestWhoLostTheSource:
    """A run keeps what a tool returned; who may no longer see the source sees no text of it."""

    @pytest.fixture(autouse=True)
    def _closed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from agents.tracing import sight

        monkeypatch.setattr(sight, "visible", lambda actor, action, rows: rows.none())

    @pytest.mark.parametrize("tab", ["timeline", "events", "messages"])
    def test_the_page_says_that_there_was_a_result(
        self, cora: Persona, run: AgentRun, tab: str
    ) -> None:
        text = page(cora, run, tab).content.decode()
        assert SECRET_TEXT not in text
        assert "flaps.txt" not in text
        if tab == "timeline":
            assert "1 source is closed to you now." in text

    def test_neither_does_the_export(self, cora: Persona, run: AgentRun) -> None:
        text = cora.client.get(reverse("run_export", args=[run.pk])).content.decode()
        assert SECRET_TEXT not in text
        assert "flaps.txt" not in text

    def test_nor_the_chat(self, cora: Persona, run: AgentRun) -> None:
        address = reverse("conversation", args=[run.conversation_id])
        assert SECRET_TEXT not in cora.client.get(address).content.decode()

    def test_nor_its_socket(self, cora: Persona, run: AgentRun) -> None:
        with cora.scope():
            rows = events_after(cora.actor, run_id=run.pk, seq=0)
        assert SECRET_TEXT not in json.dumps([row.data for row in rows])


def test_a_result_about_a_deleted_document_is_as_open_as_its_base(
    cora: Persona, run: AgentRun, document: Document
) -> None:
    with cora.scope():
        Document.objects.filter(pk=document.pk).delete()
    assert SECRET_TEXT in page(cora, run).content.decode()
    with cora.scope():
        KnowledgeBase.objects.filter(pk=document.base_id).delete()
    assert SECRET_TEXT not in page(cora, run).content.decode()


class TestOthers:
    """A conversation is private; an owner opens it only where the space says so, and is seen."""

    @pytest.mark.parametrize("name", ["olivia", "adam", "victor", "mallory"])
    def test_nobody_else_sees_it(
        self, request: pytest.FixtureRequest, run: AgentRun, name: str
    ) -> None:
        persona: Persona = request.getfixturevalue(name)
        assert page(persona, run).status_code == 404
        assert opened(persona, run).status_code == 404
        with persona.scope():
            assert not AuditEvent.objects.exists()

    @pytest.mark.parametrize("name", ["adam", "victor", "mallory"])
    def test_the_setting_opens_it_for_nobody_but_owners(
        self, request: pytest.FixtureRequest, run: AgentRun, cora: Persona, name: str
    ) -> None:
        persona: Persona = request.getfixturevalue(name)
        open_others(cora.space)
        assert (page(persona, run).status_code, opened(persona, run).status_code) == (404, 404)

    def test_an_owner_reads_and_it_is_written_down(
        self, olivia: Persona, cora: Persona, run: AgentRun
    ) -> None:
        open_others(cora.space)
        text = opened(olivia, run).content.decode()
        assert "Why do flaps stick?" in text
        assert 'id="composer"' not in text
        assert "conversation of Cora" in text
        assert page(olivia, run).status_code == 200
        with olivia.scope():
            events = AuditEvent.objects.filter(action="conversation.open_other")
            assert [event.target_id for event in events] == [str(run.conversation_id)] * 2
            assert {event.actor_name for event in events} == {"Olivia"}

    def test_the_person_sees_who_was_there(
        self, olivia: Persona, cora: Persona, run: AgentRun
    ) -> None:
        open_others(cora.space)
        opened(olivia, run)
        text = cora.client.get(reverse("conversation", args=[run.conversation_id])).content.decode()
        assert "Opened by Olivia" in text

    def test_reading_is_all_an_owner_can_do(
        self, olivia: Persona, cora: Persona, run: AgentRun
    ) -> None:
        open_others(cora.space)
        key = run.conversation_id
        for name in ("conversation_rename", "conversation_delete"):
            answer = olivia.client.post(reverse(name, args=[key]), {"title": "Mine"})
            assert answer.status_code == 404
        assert olivia.client.get(reverse("conversation", args=[key])).status_code == 404
        answer = olivia.client.post(reverse("run_continue", args=[run.pk]))
        assert answer.status_code == 404
        with cora.scope():
            assert Conversation.objects.get(pk=key).title == "A talk"

    def test_lists_stay_ones_own(self, olivia: Persona, cora: Persona, run: AgentRun) -> None:
        open_others(cora.space)
        assert "A talk" not in olivia.client.get(reverse("conversations")).content.decode()
        assert "A talk" in olivia.client.get(person_url(cora)).content.decode()

    def test_with_the_setting_off_the_list_is_empty(
        self, olivia: Persona, adam: Persona, cora: Persona, run: AgentRun
    ) -> None:
        text = olivia.client.get(person_url(cora)).content.decode()
        assert "A talk" not in text
        assert adam.client.get(person_url(cora)).status_code == 403

    def test_ones_own_leads_to_its_own_page(self, cora: Persona, run: AgentRun) -> None:
        assert opened(cora, run).headers["Location"] == reverse(
            "conversation", args=[run.conversation_id]
        )

    def test_only_owners_set_it_and_it_is_written_down(
        self, olivia: Persona, adam: Persona, run: AgentRun
    ) -> None:
        address = reverse("space_opening")
        assert adam.client.post(address, {"allowed": "on"}).status_code == 403
        assert olivia.client.post(address, {"allowed": "on"}).status_code == 302
        assert Space.objects.get(pk=olivia.space.pk).owners_may_open_conversations
        with olivia.scope():
            assert AuditEvent.objects.get(action="space.conversation_opening").details == {
                "allowed": True
            }


def opened(persona: Persona, run: AgentRun) -> Any:
    return persona.client.get(reverse("conversation_opened", args=[run.conversation_id]))


def person_url(persona: Persona) -> str:
    return reverse("usage_person", args=[persona.user.pk])
