"""A person with an agent that suggests, and answers to suggest behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agents.models import Agent, AgentRun
from core.tenancy import space_scope
from knowledge.evidence import Cited, store_evidence
from knowledge.models import Chunk, Document
from tests.agents.memory.conftest import Writer, a_job, no_broker, script, writer
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.personas import Persona


@pytest.fixture
def asker(transactional_db: None, cora: Persona) -> Iterator[Persona]:
    """Cora, whose agent offers follow-ups."""
    make_model(cora.space, type="chat", is_default=True)
    make_agent(cora.space, name="Reasoner", config=follow_ups())
    with space_scope(cora.space.pk):
        yield cora


def follow_ups(**values: Any) -> dict[str, Any]:
    """Return an agent's configuration whose follow-ups are on."""
    return {"question_suggestions": {"follow_ups": {"enabled": True, **values}}}


def configure(**values: Any) -> None:
    """Change how the agent follows up."""
    Agent.objects.update(config=follow_ups(**values))


def answered(persona: Persona, *, answer: str = "Fourteen weeks.", **fields: Any) -> AgentRun:
    """Return a run of the agent that is answered."""
    talk = make_conversation(persona.space, user=persona.user, agent=Agent.objects.get())
    values = {"outcome": "answered", **fields}
    return make_run(talk, question="How long is leave?", answer=answer, **values)


def cite(
    persona: Persona, run: AgentRun, *, headings: tuple[str, ...] = ("Leave", "Pay")
) -> Document:
    """Let the answer cite the first passage of a document with these headings."""
    base = make_base(persona.space)
    document = make_document(base, name="handbook.md", texts=[f"About {h}." for h in headings])
    chunks = list(Chunk.objects.filter(document=document).order_by("position"))
    for chunk, heading in zip(chunks, headings, strict=True):
        chunk.heading_path = ["Handbook", heading]
        chunk.save()
    assert run.answer_id is not None
    store_evidence(persona.space.pk, run.answer_id, [Cited(marker=1, chunk_id=chunks[0].pk)])
    return document


def model_says(*texts: str) -> dict[str, Any]:
    """Return what a model answers that is asked for questions."""
    return {"questions": [{"text": text, "category": "deepen"} for text in texts]}


__all__ = ["Writer", "a_job", "no_broker", "script", "writer"]
