"""Questions of an empty conversation: at once, from what the person may see."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.constants import BaseScope
from agents.models import Agent, SuggestionSet
from agents.suggestions.reading import Offered
from agents.suggestions.starters import starters_of
from core.jobs.work import work
from knowledge.models import Chunk, Document
from providers.contracts.errors import ModelError
from providers.models import AIModel
from tests.agents.suggestions.conftest import Writer, model_says
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona


def offer(persona: Persona, **starters: object) -> Offered | None:
    agent = Agent.objects.get()
    if starters:
        agent.config = {"question_suggestions": {"starters": starters}}
        agent.save()
    return starters_of(persona.actor, agent)


def texts(found: Offered | None) -> list[str]:
    return [each.text for each in found.questions] if found else []


@pytest.fixture
def library(asker: Persona) -> Document:
    """A base with one document."""
    document = make_document(make_base(asker.space), name="HR_handbook.md", texts=["x", "y"])
    Chunk.objects.update(heading_path=["Parental leave"])
    return document


def test_titles_and_headings_become_questions(asker: Persona, library: Document) -> None:
    make_document(library.base, name="劳动合同.docx")
    make_document(library.base, name="就業規則.pdf")
    make_document(library.base, name="就業のルール.pdf")
    make_document(library.base, name="취업규칙.pdf")
    found = texts(offer(asker, mode="knowledge"))
    assert "What does “HR handbook” say about “Parental leave”?" in found
    assert "《劳动合同》讲了什么？" in found
    assert "「就業のルール」の内容を教えてください。" in found
    assert "‘취업규칙’은(는) 무슨 내용인가요?" in found


def test_each_mode_has_its_sources(asker: Persona, library: Document) -> None:
    AIModel.objects.update(parameters={"extractive": True})
    assert texts(offer(asker, mode="curated", items=["Hello?"])) == ["Hello?"]
    assert len(texts(offer(asker, mode="knowledge", items=["Hello?"]))) == 1
    assert texts(offer(asker, mode="generated", items=["Hello?"])) == []
    assert len(texts(offer(asker, mode="hybrid", items=["Hello?"]))) == 2
    assert offer(asker, enabled=False) is None


def test_a_model_writes_them_for_the_next_time(
    asker: Persona, library: Document, writer: Writer
) -> None:
    model = writer(model_says("How is parental leave booked?"))
    first = offer(asker, mode="hybrid", items=["Hello?"])
    assert model.asked == []
    assert len(texts(first)) == 2
    assert work("default")
    assert texts(offer(asker)) == [
        "Hello?",
        "How is parental leave booked?",
        "What does “HR handbook” say about “Parental leave”?",
    ]
    assert "Parental leave" in model.asked[0][1].content
    assert len(model.asked) == 1


def test_a_model_that_fails_leaves_what_was_there(
    asker: Persona, library: Document, writer: Writer
) -> None:
    offer(asker, mode="hybrid")
    writer(ModelError("overloaded", "Later."))
    assert work("default")
    assert len(texts(offer(asker))) == 1
    assert SuggestionSet.objects.get().reason == "Later."


def test_only_what_the_person_may_see(asker: Persona, library: Document) -> None:
    assert texts(offer(asker, mode="knowledge"))
    Document.objects.filter(pk=library.pk).update(state="deleting")
    assert texts(offer(asker)) == []


def test_an_agent_without_bases_says_nothing_of_documents(
    asker: Persona, library: Document
) -> None:
    Agent.objects.update(base_scope=BaseScope.NONE)
    assert texts(offer(asker, mode="knowledge")) == []


def test_they_are_looked_at_again_after_a_day(asker: Persona, library: Document) -> None:
    offer(asker, mode="knowledge")
    make_document(library.base, name="travel.md")
    assert len(texts(offer(asker))) == 1
    SuggestionSet.objects.update(updated_at=timezone.now() - timedelta(days=2))
    assert len(texts(offer(asker))) == 2
    assert SuggestionSet.objects.get().generation == 2


def test_two_people_have_two_sets(asker: Persona, adam: Persona, library: Document) -> None:
    offer(asker, mode="knowledge")
    offer(adam)
    assert SuggestionSet.objects.count() == 2
