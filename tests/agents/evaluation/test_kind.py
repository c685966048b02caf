"""Agents are asked the golden questions: their answers are measured and judged, and leave no trace."""

from __future__ import annotations

from typing import Any

import pytest
from celery import current_app

from agents.constants import RunState
from agents.evaluation import judge, kind
from agents.models import Agent, AgentRun, Conversation
from agents.signals import run_finished
from core.errors import Conflict, NotFound
from core.jobs.work import work
from knowledge.constants import EvaluationState
from knowledge.evaluation.expected import expected_of
from knowledge.evaluation.golden import GoldenDraft, add_golden
from knowledge.evaluation.runs import Plan, start_run
from knowledge.models import Chunk, EvaluationResult, EvidenceRow, KnowledgeBase
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


class Agents:
    """Stands in for asking: each question gets its run, which is answered when the test says so."""

    def __init__(self) -> None:
        self.begun: list[AgentRun] = []

    def ask(self, actor: Any, question: Any, *, conversation_id: Any) -> AgentRun:
        if "refused" in question.text:
            raise Conflict("The agent has no model.")
        conversation = Conversation.objects.get(pk=conversation_id)
        assert conversation.is_internal
        common = {"space_id": actor.space_id, "conversation": conversation}
        asked = conversation.messages.create(role="user", text=question.text, position=0, **common)
        run = AgentRun.objects.create(
            **common, question=asked, user_id=actor.user_id, state=RunState.RUNNING
        )
        self.begun.append(run)
        return run

    def answer(self, run: AgentRun, text: str, chunk: Chunk) -> None:
        """Answer a run, citing a passage, and tell that it is over."""
        common = {"space_id": run.space_id}
        run.answer = run.conversation.messages.create(
            role="assistant", text=text, position=1, **common
        )
        run.state = RunState.DONE
        run.save()
        EvidenceRow.objects.create(
            **common,
            origin_id=run.answer.pk,
            marker=1,
            base_id=chunk.base_id,
            document_id=chunk.document_id,
            document_name="manual.txt",
            document_revision=1,
            chunk_id=chunk.pk,
            chunk_hash=chunk.content_hash,
            text=chunk.text,
        )
        run_finished.send(AgentRun, run=run)


@pytest.fixture
def agents(monkeypatch: pytest.MonkeyPatch) -> Agents:
    found = Agents()
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    monkeypatch.setattr(kind, "ask", found.ask)
    return found


@pytest.fixture
def base(cora: Persona) -> KnowledgeBase:
    made = make_base(cora.space, name="Hangar", created_by=cora.user)
    make_document(made, name="manual.txt", texts=["The flaps are checked first."])
    return made


@pytest.fixture
def agent(cora: Persona) -> Agent:
    return make_agent(cora.space, name="Tower talk")


def carry_out() -> None:
    while work("enrich"):
        pass


def put(persona: Persona, base: KnowledgeBase, question: str) -> Chunk:
    chunk = Chunk.objects.select_related("document").get(base=base)
    draft = GoldenDraft(
        question=question, answer="The flaps are checked.", expected=(expected_of(chunk),)
    )
    add_golden(persona.actor, base_id=base.pk, draft=draft, is_confirmed=True)
    return chunk


def test_answers_are_measured_and_judged_and_their_conversations_removed(
    cora: Persona,
    base: KnowledgeBase,
    agent: Agent,
    agents: Agents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ask_model(_context: Any, _run: Any, wish: Any, form: Any) -> tuple[Any, str]:
        assert "<reference>The flaps are checked.</reference>" in wish.material
        said = {
            "correctness": 0.75,
            "statements": 2,
            "supported_statements": 1,
            "supporting_citations": [1, 9],
            "reason": "The order is missing.",
        }
        return form.model_validate(said), "a judge"

    monkeypatch.setattr(judge, "ask_model", ask_model)
    monkeypatch.setattr(judge, "no_model_reason", lambda _space: "")
    with cora.scope():
        chunk = put(cora, base, "What is checked?")
        plan = Plan(kind="answers", subject_id=agent.pk)
        run = start_run(cora.actor, base_id=base.pk, plan=plan)
        carry_out()
        run.refresh_from_db()
        assert run.state == EvaluationState.RUNNING
        agents.answer(agents.begun[0], "The flaps are checked [1].", chunk)
        carry_out()

        run.refresh_from_db()
        assert (run.state, run.done) == (EvaluationState.DONE, 1)
        row = EvaluationResult.objects.get(run=run)
        assert row.answer == "The flaps are checked [1]."
        assert row.metrics["rougeL"] == pytest.approx(1.0)
        assert row.metrics["cited"] == 1.0
        assert row.metrics["correctness"] == 0.75
        assert row.metrics["citation_precision"] == 1.0
        assert row.metrics["citation_recall"] == 0.5
        assert row.judged == {"model": "a judge", "reason": "The order is missing."}
        assert row.document_ids == [str(chunk.document_id)]
        assert not Conversation.objects.filter(is_internal=True).exists()
        assert not EvidenceRow.objects.exists()
        assert run.snapshot["name"] == "Tower talk"


def test_only_some_questions_are_asked_at_the_same_time(
    cora: Persona, base: KnowledgeBase, agent: Agent, agents: Agents
) -> None:
    with cora.scope():
        chunk = [put(cora, base, f"Question {number}?") for number in range(4)][-1]
        plan = Plan(kind="answers", subject_id=agent.pk)
        run = start_run(cora.actor, base_id=base.pk, plan=plan)
        carry_out()
        assert len(agents.begun) == kind.AT_ONCE
        agents.answer(agents.begun[0], "The flaps.", chunk)
        carry_out()
        assert len(agents.begun) == kind.AT_ONCE + 1
        run.refresh_from_db()
        assert (run.state, run.done) == (EvaluationState.RUNNING, 1)


def test_a_question_that_cannot_be_asked_says_why_and_the_rest_goes_on(
    cora: Persona, base: KnowledgeBase, agent: Agent, agents: Agents
) -> None:
    with cora.scope():
        put(cora, base, "This is refused?")
        chunk = put(cora, base, "What is checked?")
        plan = Plan(kind="answers", subject_id=agent.pk)
        run = start_run(cora.actor, base_id=base.pk, plan=plan)
        carry_out()
        agents.answer(agents.begun[0], "The flaps.", chunk)
        carry_out()
        run.refresh_from_db()
        assert run.state == EvaluationState.DONE
        first = EvaluationResult.objects.get(run=run, position=0)
        assert first.error == "The agent has no model."
        assert run.metrics["failed"] == 1
        assert "problem" in EvaluationResult.objects.get(run=run, position=1).judged


def test_an_agent_that_does_not_read_the_base_is_none_to_ask(
    cora: Persona, base: KnowledgeBase, agents: Agents
) -> None:
    with cora.scope():
        put(cora, base, "What is checked?")
        other = make_agent(cora.space, base_scope="none")
        with pytest.raises(NotFound):
            start_run(cora.actor, base_id=base.pk, plan=Plan(kind="answers", subject_id=other.pk))
