"""Quick answers through their runs: steps that stay, direct answers, intents without a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agents.answers import quick as module
from agents.answers.faq_direct import DirectAnswer
from agents.engine.testing import ScriptedModel, say
from agents.models import Agent, AgentRun, ModelUsage, RunEvent
from agents.services.conversations import Question, ask
from knowledge.models import Chunk, Document, EvidenceRow
from knowledge.retrieval.hits import Retrieval, RetrievalHit, RetrievalTrace
from tests.agents.runs.conftest import Script, carry_out, put, types_of
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

Play = Callable[[Script], ScriptedModel]
Found = Callable[..., list[str]]


@pytest.fixture
def document(asker: Persona) -> Document:
    Agent.objects.update(mode="quick")
    return make_document(
        make_base(asker.space), name="handbook.md", texts=["Leave lasts 14 weeks.", "Travel."]
    )


@pytest.fixture
def finds(document: Document, monkeypatch: pytest.MonkeyPatch) -> Found:
    """Let every search find the document's passages; return what was asked."""
    asked: list[str] = []

    def arrange(*, confident: bool | None = True) -> list[str]:
        def find(_: Any, *, query: str, door: str) -> Retrieval:
            assert door == "quick"
            asked.append(query)
            chunks = list(Chunk.objects.filter(document=document).order_by("position"))
            hits = tuple(hit_of(chunk, rank) for rank, chunk in enumerate(chunks[: len(asked)], 1))
            return Retrieval(
                query=query, hits=hits, confident=confident, other_language=False,
                trace=TRACE, timings_ms={}, warnings=(),
            )  # fmt: skip

        monkeypatch.setattr(module, "find_passages", find)
        return asked

    return arrange


TRACE = RetrievalTrace(
    terms=(),
    matched_by=(),
    passages=2,
    exact=True,
    rerank_mode="none",
    rerank_reason="",
    candidates=(),
)


def hit_of(chunk: Chunk, rank: int) -> RetrievalHit:
    return RetrievalHit(
        rank=rank, chunk_id=chunk.pk, document_id=chunk.document_id, document_name="handbook.md",
        base_id=chunk.base_id, text=chunk.text, context=chunk.text, heading_path=(), page_from=None,
        page_to=None, position=chunk.position, content_hash=chunk.content_hash, document_revision=1,
        score=1 / rank, dense_score=0.9, keyword_score=0.9, rerank_score=None,
    )  # fmt: skip


def go_on(persona: Persona, text: str, run: AgentRun) -> AgentRun:
    """Ask a further question in the run's conversation."""
    return ask(persona.actor, Question(text=text), conversation_id=run.conversation_id)


def steps_of(run: AgentRun) -> list[str]:
    rows = RunEvent.objects.filter(run=run, type="tool_call_started").order_by("seq")
    return [row.data["name"] for row in rows]


def test_a_first_question_is_searched_as_asked(
    asker: Persona,
    script: Play,
    finds: Found,
) -> None:
    asked = finds()
    model = script([say("Fourteen [c1].")])
    run = put(asker, "How long is leave?")
    carry_out()
    assert asked == ["How long is leave?"]
    assert steps_of(run) == ["knowledge_search"]
    assert len(model.asked) == 1


def test_a_follow_up_is_rewritten_and_its_steps_stay(
    asker: Persona,
    script: Play,
    finds: Found,
) -> None:
    asked = finds()
    script([say("Fourteen [c1].")])
    first = put(asker, "How long is leave?")
    carry_out()
    model = script(
        [say('{"rewrite_query": "Is leave paid?", "intent": "kb_search"}'), say("Yes [c1].")]
    )
    run = go_on(asker, "Is it paid?", first)
    carry_out()
    assert asked[-1] == "Is leave paid?"
    assert steps_of(run) == ["query_understanding", "knowledge_search"]
    kinds = types_of(run)
    assert kinds.index("tool_call_finished") < kinds.index("answer_delta")
    assert "Fourteen" in model.asked[0][1].content
    assert "understanding" in ModelUsage.objects.filter(run=run).values_list("purpose", flat=True)


def test_small_talk_is_not_searched(
    asker: Persona,
    script: Play,
    finds: Found,
) -> None:
    asked = finds()
    script([say("Fourteen [c1].")])
    first = put(asker, "How long is leave?")
    carry_out()
    model = script(
        [say('{"intent": "greeting", "rewrite_query": "Thanks!"}'), say("You are welcome.")]
    )
    run = go_on(asker, "Thanks!", first)
    carry_out()
    assert len(asked) == 1
    assert steps_of(run) == ["query_understanding"]
    assert "greets you" in model.asked[1][-1].content
    run.refresh_from_db()
    assert run.outcome == "answered"


def test_rewriting_can_be_switched_off(
    asker: Persona,
    script: Play,
    finds: Found,
) -> None:
    Agent.objects.update(config={"enable_rewrite": False})
    asked = finds()
    script([say("Fourteen [c1]."), say("Yes [c1].")])
    first = put(asker, "How long is leave?")
    carry_out()
    go_on(asker, "Is it paid?", first)
    carry_out()
    assert asked == ["How long is leave?", "Is it paid?"]


def test_an_unsure_search_is_widened_behind_its_own_hits(
    asker: Persona,
    script: Play,
    finds: Found,
) -> None:
    asked = finds(confident=False)
    model = script([say("Fourteen [c1].")])
    run = put(asker, "How long does parental leave last, and who pays travel costs?")
    carry_out()
    assert steps_of(run) == ["query_expansion", "knowledge_search"]
    assert len(asked) > 1
    content = model.asked[0][-1].content
    assert content.index("Leave lasts 14 weeks.") < content.index("Travel.")


def test_an_entry_that_is_the_question_answers_it_without_a_model(
    asker: Persona,
    script: Play,
    finds: Found,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    finds()

    def direct(_: str, hits: list[RetrievalHit], __: Any) -> DirectAnswer:
        return DirectAnswer(hit=replace(hits[0]), score=1.0, text="Fourteen weeks.")

    monkeypatch.setattr(module, "direct_answer", direct)
    model = script([])
    run = put(asker, "How long is leave?")
    carry_out()
    run.refresh_from_db()
    assert run.answer is not None
    assert (run.outcome, run.answer.text) == ("answered", "Fourteen weeks. [1]")
    assert EvidenceRow.objects.get(origin_id=run.answer.pk).text == "Leave lasts 14 weeks."
    assert model.asked == []
    card = RunEvent.objects.get(run=run, type="tool_call_finished").data["data"]
    assert card["hits"][0]["match"] == "exact"
