"""The two tools that look back, through runs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.constants import MemoryKind
from agents.engine.testing import ScriptedModel, call, calls, say
from agents.memory.searching import search_items, search_said, snippet_of
from agents.models import AgentRun, Conversation, MemorySettings, Message, RunEvent
from agents.pages.run_messages import messages_of
from agents.runs import prepare as prepare_module
from agents.services.conversations import Question, ask
from agents.tracing.sight import masked_rows
from core.jobs.work import work
from tests.agents.memory.conftest import keep
from tests.factories.agents import make_conversation, make_message
from tests.personas import Persona


def said(persona: Persona, text: str, **fields: object) -> Conversation:
    talk = make_conversation(persona.space, user=persona.user, title="Earlier")
    Conversation.objects.filter(pk=talk.pk).update(**fields)
    make_message(talk, text)
    return talk


def outputs(run: AgentRun) -> dict[str, str]:
    rows = RunEvent.objects.filter(run=run, type="tool_call_finished")
    return {row.data["name"]: row.data["output"] for row in rows}


def play(monkeypatch: pytest.MonkeyPatch, *turns: object) -> ScriptedModel:
    model = ScriptedModel(list(turns))
    monkeypatch.setattr(prepare_module, "get_chat_model", lambda row: model)
    return model


def test_a_model_searches_memory_and_earlier_talks(
    cora_remembers: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(cora_remembers, "The valve plant is in Ulm")
    said(cora_remembers, "We spoke about the valve budget of Ulm.")
    play(
        monkeypatch,
        calls(
            call("search_memory", call_id="a", query="valve plant"),
            call("search_conversations", call_id="b", index=1, query="valve budget"),
        ),
        say("In Ulm."),
    )
    run = ask(cora_remembers.actor, Question(text="Hello there"))
    assert work("runs")
    found = outputs(run)
    assert "The valve plant is in Ulm" in found["search_memory"]
    assert "valve budget of Ulm" in found["search_conversations"]


def test_search_memory_is_offered_only_where_memory_is_on(
    cora_remembers: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = play(monkeypatch, say("One."), say("Two."))
    ask(cora_remembers.actor, Question(text="Hello"))
    assert work("runs")
    MemorySettings.objects.update(is_enabled=False)
    ask(cora_remembers.actor, Question(text="Hello again"))
    assert work("runs")
    names = [{tool.name for tool in tools} for tools in model.tools]
    assert "search_memory" in names[0]
    assert "search_memory" not in names[1]
    assert all("search_conversations" in each for each in names)


def test_memory_is_found_within_its_owner(cora_remembers: Persona, adam: Persona) -> None:
    for number in range(25):
        keep(cora_remembers, f"Valve {number} of hall {number}", kind=MemoryKind.FACT)
    assert len(search_items(cora_remembers.actor, query="valve", limit=20)) == 20
    assert search_items(adam.actor, query="valve", limit=20) == []


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Die Lieferung der Ventile kam an.", "Ventile Lieferung"),
        ("劳动合同的试用期是三个月。", "试用期多久"),
        ("有給休暇は年に二十日あります。", "有給休暇"),
        ("출장 경비는 한 달 안에 청구합니다.", "출장 경비"),
        ("The policies were changed.", "policy"),
    ],
)
def test_talks_are_found_in_many_languages(cora_remembers: Persona, text: str, query: str) -> None:
    talk = said(cora_remembers, text)
    said(cora_remembers, "Something else altogether, 无关, 別の話, 다른 이야기")
    found = search_said(cora_remembers.actor, query=query, limit=5)
    assert [each.conversation_id for each in found] == [talk.pk]


def test_the_present_internal_and_others_talks_are_left_out(
    cora_remembers: Persona, adam: Persona
) -> None:
    present = said(cora_remembers, "valves here")
    said(cora_remembers, "valves inside", is_internal=True)
    said(adam, "valves of Adam")
    found = search_said(cora_remembers.actor, query="valves", limit=5, without=present.pk)
    assert found == []
    assert len(search_said(cora_remembers.actor, query="valves", limit=5)) == 1


def test_one_snippet_a_talk_the_best_first(cora_remembers: Persona) -> None:
    weak = said(cora_remembers, "The valve.")
    strong = said(cora_remembers, "The valve budget. " + "filler " * 200)
    make_message(strong, "More about the valve budget.")
    Message.objects.update(created_at=timezone.now() - timedelta(days=1))
    found = search_said(cora_remembers.actor, query="valve budget", limit=8)
    assert [each.conversation_id for each in found] == [strong.pk, weak.pk]
    assert all(len(each.snippet) <= 402 for each in found)


def test_a_snippet_stands_around_the_word() -> None:
    text = "a " * 600 + "needle" + " b" * 600
    snippet = snippet_of(text, ["needle"])
    assert "needle" in snippet
    assert snippet.startswith("…")
    assert snippet.endswith("…")


def test_an_owner_who_opens_a_talk_does_not_read_its_persons_memory(
    cora_remembers: Persona, olivia: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(cora_remembers, "The valve plant is in Ulm")
    play(monkeypatch, calls(call("search_memory", query="valve plant")), say("Yes."))
    run = ask(cora_remembers.actor, Question(text="Hello there"))
    assert work("runs")
    rows = RunEvent.objects.filter(run=run, type="tool_call_finished")
    own = masked_rows(cora_remembers.actor, list(rows.all()))
    others = masked_rows(olivia.actor, list(rows.all()))
    assert "Ulm" in str([row.data for row in own])
    assert "Ulm" not in str([row.data for row in others])
    assert "Ulm" not in str(messages_of(olivia.actor, run))
