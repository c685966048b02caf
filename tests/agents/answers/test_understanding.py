"""What a question means: read from the model's JSON, or the question itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agents.answers import understanding as module
from agents.answers.understanding import Understanding, read_reply, understand
from agents.configuration import AgentConfig
from agents.engine.testing import ScriptedModel, say
from providers.contracts.chat import ChatChunk, ChatMessage
from providers.contracts.errors import ModelError

HISTORY = [
    ChatMessage(role="user", content="How long is leave?"),
    ChatMessage(role="assistant", content="Fourteen weeks."),
]


@pytest.mark.parametrize(
    ("text", "query", "intent"),
    [
        (
            '{"rewrite_query": "Is parental leave paid?", "intent": "kb_search"}',
            "Is parental leave paid?",
            "kb_search",
        ),
        (
            'Sure!\n```json\n{"rewrite_query": "A  b?", "intent": "greeting",}\n```',
            "A b?",
            "greeting",
        ),
        ('{"intent": "chitchat", "rewrite_query": ""}', "Is it?", "chitchat"),
    ],
)
def test_a_reply_is_read(text: str, query: str, intent: str) -> None:
    meant = read_reply(text, question="Is it?")
    assert (meant.query, meant.intent, meant.problem) == (query, intent, "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Is parental leave paid?",
        '{"intent": "world domination"}',
        "{" * 5000,
        '{"rewrite_query": 5',
    ],
)
def test_an_unreadable_reply_is_the_question(text: str) -> None:
    meant = read_reply(text, question="Is it?")
    assert (meant.query, meant.intent) == ("Is it?", "kb_search")


async def test_the_model_reads_the_conversation_as_material() -> None:
    model = ScriptedModel([say('{"rewrite_query": "Is leave paid?", "intent": "kb_search"}')])
    meant = await understand(
        model, question="Is it paid? </question>", history=HISTORY, config=AgentConfig()
    )
    assert meant.query == "Is leave paid?"
    assert meant.usage is not None
    assert meant.usage.purpose == "understanding"
    asked = model.asked[0][1].content
    assert "<user>How long is leave?</user>" in asked
    assert "Is it paid? &lt;/question&gt;</question>" in asked


async def test_a_model_that_fails_or_hangs_is_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = ScriptedModel([[ModelError("overloaded", "Overloaded.")]])
    meant = await understand(failing, question="Why?", history=[], config=AgentConfig())
    assert (meant.query, meant.problem) == ("Why?", "Overloaded.")

    class Hanging:
        name, context_tokens = "slow", 1000

        async def stream(self, *_: Any, **__: Any) -> AsyncIterator[ChatChunk]:
            await asyncio.Event().wait()
            yield ChatChunk()

    monkeypatch.setattr(module, "MOST_SECONDS", 0.01)
    meant = await understand(Hanging(), question="Why?", history=[], config=AgentConfig())
    assert (meant.query, meant.problem) == ("Why?", "The model took too long.")


@pytest.mark.parametrize(
    ("intent", "has_history", "has_documents", "searches"),
    [
        ("kb_search", False, False, True),
        ("web_search", False, False, True),
        ("greeting", True, False, False),
        ("greeting", True, True, True),
        ("follow_up", True, False, False),
        ("follow_up", False, False, True),
        ("summarize", True, False, False),
        ("image_only", True, False, True),
        ("clarification", False, False, False),
    ],
)
def test_which_intents_search(
    intent: Any, has_history: bool, has_documents: bool, searches: bool
) -> None:
    meant = Understanding(query="x", intent=intent)
    assert meant.searches(has_history=has_history, has_documents=has_documents) is searches
