"""What the routes do, beside who may: fields of the reference, paging, streams, isolation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import path
from django.views.defaults import page_not_found

from accounts.keys.capabilities import Capability
from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerReset,
    RunFinished,
    RunStarted,
    ThoughtDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from agents.models import Agent, AgentRun, Conversation
from integrations.api.checks import check_route_policies, compare
from integrations.api.route_policies import ROUTE_POLICIES
from integrations.api.stream_events import AnswerStream
from integrations.api.urls import urlpatterns
from tests.factories.keys import HeldKey, make_key
from tests.factories.knowledge import make_base, make_document
from tests.integrations.api.conftest import API, call, code_of, data_of
from tests.personas import Persona


@pytest.fixture
def held(olivia: Persona) -> HeldKey:
    return make_key(olivia.space, name="Portal")


@pytest.mark.usefixtures("quick")
def test_a_base_is_made_changed_and_deleted(held: HeldKey) -> None:
    body = {"name": "Hangar", "chunking_config": {"chunk_size": 800, "chunk_overlap": 80}}
    made = data_of(call("POST", "/knowledge-bases", body, key=held), 201)
    assert made["chunking_config"] == {"chunk_size": 800, "chunk_overlap": 80}
    assert (made["type"], made["creator_id"]) == ("document", "")
    place = f"/knowledge-bases/{made['id']}"
    changed = data_of(call("PUT", place, {"name": "Tower"}, key=held))
    assert (changed["name"], changed["chunking_config"]["chunk_size"]) == ("Tower", 800)
    assert data_of(call("GET", place, key=held))["chunk_count"] == 0
    assert call("DELETE", place, key=held).json() == {
        "success": True,
        "message": "Knowledge base deleted",
    }
    assert code_of(call("GET", place, key=held)) == 1003


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "extra",
    [
        {"type": "faq"},
        {"chunking_config": {"chunk_size": 50}},
        {"chunking_config": {"chunk_size": 400, "chunk_overlap": 300}},
        {"vlm_config": {"enabled": True}},
    ],
    ids=["kind", "small", "overlap", "unsupported"],
)
def test_what_would_change_the_result_is_refused(held: HeldKey, extra: dict[str, Any]) -> None:
    response = call("POST", "/knowledge-bases", {"name": "X", **extra}, key=held)
    assert (response.status_code, code_of(response) in (1000, 1010)) == (400, True)


def test_lists_come_in_pages(olivia: Persona, held: HeldKey) -> None:
    base = make_base(olivia.space)
    for number in range(5):
        make_document(base, name=f"manual {number}.txt", texts=["a", "b", "c"])
    place = f"/knowledge-bases/{base.pk}/knowledge"
    body = call("GET", f"{place}?page=2&page_size=2", key=held).json()
    assert (len(body["data"]), body["total"], body["page"], body["page_size"]) == (2, 5, 2, 2)
    assert call("GET", f"{place}?page=9", key=held).json()["data"] == []
    (found,) = call("GET", f"{place}?keyword=manual 3&parse_status=completed", key=held).json()[
        "data"
    ]
    assert (found["file_name"], found["parse_status"]) == ("manual 3.txt", "completed")
    assert call("GET", f"{place}?parse_status=failed", key=held).json()["total"] == 0
    chunks = call("GET", f"/chunks/{found['id']}?page_size=2", key=held).json()
    assert [each["content"] for each in chunks["data"]] == ["a", "b"]
    assert (chunks["total"], chunks["page_size"]) == (3, 2)


def test_an_uploaded_file_is_read_and_a_second_copy_is_named(
    olivia: Persona, held: HeldKey
) -> None:
    base = make_base(olivia.space)
    place = f"{API}/knowledge-bases/{base.pk}/knowledge/file"

    def send() -> Any:
        file = SimpleUploadedFile("notes.txt", b"Check the flaps.")
        return Client().post(place, {"file": file, "fileName": "a/b/n.txt"}, headers=held.headers)

    first = data_of(send())
    assert (first["file_name"], first["folder_path"]) == ("n.txt", "a/b")
    assert first["parse_status"] == "pending"
    again = send()
    assert (again.status_code, code_of(again)) == (409, 1005)
    assert again.json()["data"]["id"] == first["id"]


def test_agents_are_found_by_id_and_by_the_references_name(quick: Agent, held: HeldKey) -> None:
    by_name = data_of(call("GET", "/agents/builtin-quick-answer", key=held))
    assert by_name == data_of(call("GET", f"/agents/{quick.pk}", key=held))
    assert by_name["config"]["agent_mode"] == "quick-answer"
    assert code_of(call("GET", "/agents/nonsense", key=held)) == 1003


def test_sessions_belong_to_the_key_or_to_its_person(olivia: Persona, held: HeldKey) -> None:
    callers: dict[str, dict[str, Any]] = {
        "key": {"key": held},
        "ada": {"headers": held.headers_for("ada")},
        "bob": {"headers": held.headers_for("bob")},
        "other key": {"key": make_key(olivia.space)},
        "olivia": {"client": olivia.client},
    }
    made = {
        name: data_of(call("POST", "/sessions", {"title": name}, **how), 201)["id"]
        for name, how in callers.items()
    }
    for name, how in callers.items():
        listed = call("GET", "/sessions", **how).json()
        assert [each["title"] for each in listed["data"]] == [name]
        for other, session_id in made.items():
            status = call("GET", f"/sessions/{session_id}", **how).status_code
            assert status == (200 if other == name else 404), (name, other)
    with olivia.scope():
        assert Conversation.objects.filter(user=None).count() == 4


def test_a_question_of_a_key_becomes_its_run(olivia: Persona, quick: Agent, held: HeldKey) -> None:
    session_id = data_of(call("POST", "/sessions", {}, key=held), 201)["id"]
    response = call("POST", f"/knowledge-chat/{session_id}", {"query": "Why?"}, key=held)
    assert response.headers["Content-Type"] == "text/event-stream"
    with olivia.scope():
        run = AgentRun.objects.get()
    assert (run.user_id, run.agent_id) == (None, quick.pk)
    assert run.principal == f"api_key:{held.key.identity}"


@pytest.mark.parametrize(
    "extra", [{"web_search_enabled": True}, {"images": [{"url": "x"}]}, {"agent_id": "no"}]
)
def test_a_question_that_cannot_be_asked_so_is_refused(
    olivia: Persona, quick: Agent, held: HeldKey, extra: dict[str, Any]
) -> None:
    session_id = data_of(call("POST", "/sessions", {}, key=held), 201)["id"]
    body = {"query": "Why?", **extra}
    assert call("POST", f"/knowledge-chat/{session_id}", body, key=held).status_code in (400, 404)


def test_s7_a_key_of_some_bases_asks_no_agent_about_all(olivia: Persona, quick: Agent) -> None:
    base, other = make_base(olivia.space), make_base(olivia.space)
    held = make_key(olivia.space, Capability.CHAT, bases=(base,))
    session_id = data_of(call("POST", "/sessions", {}, key=held), 201)["id"]
    place = f"/knowledge-chat/{session_id}"
    assert call("POST", place, {"query": "Why?"}, key=held).status_code == 403
    for base_id, status in ((other.pk, 403), (base.pk, 200)):
        body = {"query": "Why?", "knowledge_base_ids": [str(base_id)]}
        assert call("POST", place, body, key=held).status_code == status


@pytest.mark.parametrize("field", ["knowledge_base_id", "knowledge_base_ids"])
def test_s7_a_key_of_some_bases_searches_no_other(olivia: Persona, field: str) -> None:
    base, other = make_base(olivia.space), make_base(olivia.space)
    held = make_key(olivia.space, Capability.RETRIEVE, bases=(base,))
    value: Any = str(other.pk) if field.endswith("id") else [str(base.pk), str(other.pk)]
    response = call("POST", "/knowledge-search", {"query": "x", field: value}, key=held)
    assert response.status_code == 403
    place = "/knowledge-search?resource_urls=public"
    assert call("POST", place, {"query": "x"}, key=held).status_code == 403


def told(events: Sequence[AgentEvent]) -> list[tuple[str, str, bool]]:
    stream = AnswerStream(session_id="s", message_id="m")
    pieces = [piece for event in events for piece in stream.pieces(event)]
    assert json.dumps(pieces)
    assert all(piece["session_id"] == "s" and piece["id"] == "m" for piece in pieces)
    return [(each["response_type"], each["content"], each["done"]) for each in pieces]


def test_events_are_told_in_the_references_types() -> None:
    call_ = {"round": 1, "call_id": "c", "name": "knowledge_search"}
    end = RunFinished(outcome="answered", reason="natural_stop", answer="Because of flaps.")
    assert told(
        [
            RunStarted(question="Why?", mode="react"),
            ThoughtDelta(round=1, text="Hm."),
            ToolCallStarted(arguments={}, title="Searching", **call_),
            ToolCallFinished(ok=True, output="", summary="2 passages", duration_ms=1, **call_),
            AnswerDelta(text="Because"),
            end,
        ]
    ) == [
        ("agent_query", "", True),
        ("thinking", "Hm.", False),
        ("tool_call", "Searching", False),
        ("tool_result", "2 passages", True),
        ("answer", "Because", False),
        ("references", "", True),
        ("answer", " of flaps.", False),
        ("answer", "", True),
        ("complete", "", True),
    ]


def test_a_withdrawn_answer_and_a_failure_are_told() -> None:
    end = RunFinished(outcome="failed", reason="model_failed", detail="Down.", answer="")
    found = told([AnswerDelta(text="Let me"), AnswerReset(reason="preamble"), end])
    assert found[:2] == [("answer", "Let me", False), ("answer", "", False)]
    assert found[-2:] == [("error", "Down.", True), ("complete", "", True)]


def test_each_route_has_a_policy_and_each_policy_a_route() -> None:
    assert check_route_policies() == []
    ids = {error.id for error in compare([*urlpatterns, path("x", page_not_found, name="x")])}
    assert ids == {"weknora.E042"}
    assert {error.id for error in compare(urlpatterns[1:])} == {"weknora.E041"}


@pytest.mark.django_db
def test_the_description_names_every_route() -> None:
    described = call("GET", "/schema").json()
    assert described["openapi"].startswith("3.")
    found = {(one, way.upper()) for one, ways in described["paths"].items() for way in ways}
    assert ("/api/v1/knowledge-bases/{base_id}", "PUT") in found
    assert len(found) == len(ROUTE_POLICIES) - 1, "all but the description itself"
