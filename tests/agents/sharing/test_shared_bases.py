"""A run over a base that another space shares: picked by the person, read as a guest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import Organisation
from agents.constants import BaseScope
from agents.engine.testing import ScriptedModel, call, say
from agents.models import Agent, AgentRun, RunEvent
from agents.runs.scope import scope_of_run
from agents.services.mentions import Mention, check_mentions, suggest_mentions
from agents.tracing.sight import masked_rows
from core.errors import NotFound
from core.tenancy import space_scope
from knowledge.evidence import Evidence, read_evidence
from knowledge.models import BaseShare, KnowledgeBase
from tests.accounts.organisations.worlds import make_organisation, share_base
from tests.agents.runs.conftest import Script, carry_out, put
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

Play = Callable[[Script], ScriptedModel]
TEXT = "The rent of the hangar is 900 euros a month."


@pytest.fixture
def theirs(asker: Persona, mallory: Persona) -> KnowledgeBase:
    """A base of mallory's space."""
    base = make_base(mallory.space, name="Leases")
    make_document(base, name="lease.txt", texts=[TEXT])
    return base


@pytest.fixture
def organisation(asker: Persona, mallory: Persona) -> Organisation:
    return make_organisation(mallory.space, editors=(asker.space,))


@pytest.fixture
def share(theirs: KnowledgeBase, organisation: Organisation) -> BaseShare:
    return share_base(theirs, organisation)


def end(share: BaseShare) -> None:
    with space_scope(share.space_id):
        share.delete()


def answered(asker: Persona, script: Play, theirs: KnowledgeBase) -> AgentRun:
    """Ask about the shared base; the model looks and cites."""
    script([[*call("grep_chunks", pattern="rent")], say("900 euros [c1].")])
    run = put(asker, "What is the rent?", base_ids=(theirs.pk,))
    carry_out()
    run.refresh_from_db()
    assert run.answer is not None
    return run


def evidence_of(asker: Persona, run: AgentRun) -> list[Evidence]:
    assert run.answer is not None
    return read_evidence(asker.actor, origin_id=run.answer.pk)


def outputs(asker: Persona, run: AgentRun) -> str:
    rows = masked_rows(asker.actor, list(RunEvent.objects.filter(run=run)))
    return str([row.data for row in rows if row.type == "tool_call_finished"])


def test_shared_bases_are_read_only_when_they_are_picked(
    asker: Persona, theirs: KnowledgeBase, share: BaseShare
) -> None:
    agent = Agent.objects.get()
    run = put(asker, "What is the rent?")
    assert scope_of_run(asker.actor, agent, run).base_ids == ()
    run.base_ids = [str(theirs.pk)]
    scope = scope_of_run(asker.actor, agent, run)
    assert scope.base_ids == (theirs.pk,)
    assert (scope.ready_total, scope.recent) == ({theirs.pk: 1}, {theirs.pk: ("lease.txt",)})


def test_an_agent_with_bases_of_its_own_is_not_led_elsewhere(
    asker: Persona, theirs: KnowledgeBase, share: BaseShare
) -> None:
    Agent.objects.update(base_scope=BaseScope.SELECTED)
    agent = Agent.objects.get()
    run = put(asker, "What is the rent?", base_ids=(theirs.pk,))
    assert scope_of_run(asker.actor, agent, run).base_ids == ()


def test_a_base_that_is_not_shared_cannot_be_picked(asker: Persona, theirs: KnowledgeBase) -> None:
    with pytest.raises(NotFound):
        put(asker, "What is the rent?", base_ids=(theirs.pk,))
    mention = Mention(kind="base", id=theirs.pk)
    with pytest.raises(NotFound):
        check_mentions(asker.actor, Agent.objects.get(), [mention])


def test_a_shared_base_is_offered_with_its_space_and_can_be_named(
    asker: Persona, theirs: KnowledgeBase, share: BaseShare
) -> None:
    agent = Agent.objects.get()
    (offered,) = suggest_mentions(asker.actor, agent, search="leas")
    assert (offered.id, offered.detail) == (theirs.pk, "Knowledge base of Space B")
    found = check_mentions(asker.actor, agent, [Mention(kind="base", id=theirs.pk)])
    assert found.base_ids == (theirs.pk,)


def test_an_answer_from_a_shared_base_has_its_evidence_as_long_as_the_share(
    asker: Persona, script: Play, theirs: KnowledgeBase, share: BaseShare
) -> None:
    run = answered(asker, script, theirs)
    (evidence,) = evidence_of(asker, run)
    assert (evidence.source_state, evidence.text) == ("unchanged", TEXT)
    assert "hangar" in outputs(asker, run)
    end(share)
    (evidence,) = evidence_of(asker, run)
    assert (evidence.source_state, evidence.text, evidence.document_name) == ("hidden", "", "")
    assert "hangar" not in outputs(asker, run)


def test_a_share_that_ends_before_the_answer_is_made_gives_the_model_nothing(
    asker: Persona, script: Play, theirs: KnowledgeBase, share: BaseShare
) -> None:
    model = script([say("I cannot look.")])
    run = put(asker, "What is the rent?", base_ids=(theirs.pk,))
    end(share)
    carry_out()
    run.refresh_from_db()
    assert run.answer is not None
    assert "hangar" not in str(model.asked)
    assert evidence_of(asker, run) == []
