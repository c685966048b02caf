"""An agent whose bases have golden questions answers otherwise only with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accounts.models import AuditEvent
from agents.models import Agent
from agents.services.agent_values import values_of_agent
from agents.services.agents import update_agent
from core.errors import Invalid
from knowledge.evaluation.golden import GoldenDraft, add_golden
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base
from tests.personas import Persona

pytestmark = pytest.mark.django_db


def change(adam: Persona, agent: Agent, *, note: str = "", **fields: str) -> Agent:
    agent.refresh_from_db()
    values = replace(values_of_agent(agent), **fields)  # type: ignore[arg-type]  # texts alone
    return update_agent(
        adam.actor,
        agent_id=agent.pk,
        values=values,
        expected_version=agent.version,
        note=note,
    )


def test_other_instructions_need_a_reason_where_golden_questions_could_tell(adam: Persona) -> None:
    base = make_base(adam.space, created_by=adam.user)
    agent = make_agent(adam.space, name="Tower talk")
    with adam.scope():
        change(adam, agent, description="No golden question yet.")
        draft = GoldenDraft(question="Why?", answer="Because.")
        add_golden(adam.actor, base_id=base.pk, draft=draft, is_confirmed=True)

        change(adam, agent, description="Answers as before.")
        with pytest.raises(Invalid) as refusal:
            change(adam, agent, instructions="Be brief.")
        assert refusal.value.data["field"] == "note"
        change(adam, agent, instructions="Be brief.", note="People asked for it.")

        event = AuditEvent.objects.get(action="evaluation.gate_bypass")
        assert event.details["reason"] == "People asked for it."


def test_an_agent_without_bases_is_free(adam: Persona) -> None:
    base = make_base(adam.space, created_by=adam.user)
    agent = make_agent(adam.space, name="Poet", base_scope="none")
    with adam.scope():
        draft = GoldenDraft(question="Why?", answer="Because.")
        add_golden(adam.actor, base_id=base.pk, draft=draft, is_confirmed=True)
        change(adam, agent, instructions="Rhyme.")
        assert not AuditEvent.objects.filter(action="evaluation.gate_bypass").exists()
