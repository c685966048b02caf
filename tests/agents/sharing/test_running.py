"""A shared agent is asked: whose bases, model, prompt and money, and what is left when it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from uuid import UUID

import pytest

from accounts.access import Actor
from accounts.models import Organisation
from agents.constants import BaseScope, RunState
from agents.engine.testing import ScriptedModel, call, say
from agents.models import (
    Agent,
    AgentRun,
    AgentShare,
    Conversation,
    MessageBlob,
    ModelUsage,
    RunEvent,
)
from agents.pages.run_messages import messages_of
from agents.runs.blobs import unpack_state
from agents.runs.prepare import prepare
from agents.runs.store import Lease
from agents.services.agents import enable_agent
from agents.services.conversations import Question, ask
from agents.sharing import gate
from agents.sharing.received import find_shared_agent, hide_agent, shared_agents
from agents.spending.export import usage_csv
from agents.spending.report import grouped_by
from agents.tracing.closed import is_closed
from agents.tracing.sight import masked_rows
from core.errors import AccessDenied, Conflict, NotFound
from core.tenancy import space_scope, unscoped
from knowledge.access.restrict import Place, restrict
from knowledge.evidence import Evidence, read_evidence
from knowledge.models import Document, KnowledgeBase
from providers.models import AIModel
from tests.accounts.organisations.worlds import make_organisation
from tests.agents.runs.conftest import Script, carry_out
from tests.agents.sharing.worlds import PROMPT, end, make_sharable, share_agent
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.factories.spending import make_budget
from tests.personas import Persona

Play = Callable[[Script], ScriptedModel]
TEXT = "The rent of the hangar is 900 euros a month."
PRIVATE = "The rent of the owner is nobody's business."
OURS = "Our own rent is 55 francs."


@pytest.fixture
def theirs(mallory: Persona) -> KnowledgeBase:
    """The base of B that the agent names."""
    base = make_base(mallory.space, name="Leases")
    make_document(base, name="lease.txt", texts=[TEXT])
    return base


@pytest.fixture
def private(mallory: Persona) -> KnowledgeBase:
    """A base of B that the agent does not name."""
    base = make_base(mallory.space, name="Private")
    make_document(base, name="private.txt", texts=[PRIVATE])
    return base


@pytest.fixture
def ours(asker: Persona) -> KnowledgeBase:
    """A base of A."""
    base = make_base(asker.space, name="Ours")
    make_document(base, name="ours.txt", texts=[OURS])
    return base


@pytest.fixture
def organisation(asker: Persona, mallory: Persona) -> Organisation:
    return make_organisation(mallory.space, editors=(asker.space,))


@pytest.fixture
def agent(mallory: Persona, theirs: KnowledgeBase, private: KnowledgeBase) -> Agent:
    make_model(mallory.space, type="chat", is_default=True, name="their-model")
    return make_sharable(mallory.space, theirs, created_by=mallory.user)


@pytest.fixture
def share(agent: Agent, organisation: Organisation) -> AgentShare:
    return share_agent(agent, organisation)


def put(
    asker: Persona, agent: Agent, text: str = "What is the rent?", **fields: object
) -> AgentRun:
    return ask(asker.actor, Question(text=text, agent_id=agent.pk, **fields))  # type: ignore[arg-type]  # test shorthand


def done(run: AgentRun) -> AgentRun:
    carry_out()
    run.refresh_from_db()
    return run


def answered(asker: Persona, script: Play, agent: Agent) -> AgentRun:
    """Ask; the model looks and cites."""
    script([[*call("grep_chunks", pattern="rent")], say("900 euros [c1].")])
    run = done(put(asker, agent))
    assert run.answer is not None, run.reason
    return run


def outputs(asker: Persona, run: AgentRun) -> str:
    rows = masked_rows(asker.actor, list(RunEvent.objects.filter(run=run)))
    return json.dumps([row.data for row in rows])


def evidence_of(asker: Persona, run: AgentRun) -> list[Evidence]:
    assert run.answer is not None
    return read_evidence(asker.actor, origin_id=run.answer.pk)


def test_a_shared_agent_answers_from_its_own_space_s_base_and_cites_it(
    asker: Persona, script: Play, agent: Agent, share: AgentShare, ours: KnowledgeBase
) -> None:
    run = answered(asker, script, agent)
    assert (run.agent_id, run.shared_agent_id, run.agent_called) == (None, agent.pk, "Landlord")
    assert run.space_id == asker.space.pk
    (evidence,) = evidence_of(asker, run)
    assert (evidence.source_state, evidence.text) == ("unchanged", TEXT)
    assert "hangar" in outputs(asker, run)
    assert "nobody's business" not in outputs(asker, run)
    assert "francs" not in outputs(asker, run)


def test_its_instructions_reach_its_model_and_nothing_of_the_asking_space(
    asker: Persona, script: Play, agent: Agent, share: AgentShare
) -> None:
    model = script([[*call("grep_chunks", pattern="rent")], say("900 euros [c1].")])
    run = done(put(asker, agent))
    assert PROMPT in str(model.asked)
    assert PROMPT not in str(list(MessageBlob.objects.values_list("content", flat=True)))
    assert PROMPT not in json.dumps(run.loop_state)
    assert PROMPT not in outputs(asker, run)
    shown = [each.block.text for each in messages_of(asker.actor, run)]
    assert any("stay with its space" in text for text in shown)
    assert PROMPT not in str(shown)


def test_a_run_that_another_worker_takes_over_has_its_instructions_again(
    asker: Persona, script: Play, agent: Agent, share: AgentShare
) -> None:
    run = answered(asker, script, agent)
    assert unpack_state(run.loop_state).messages[0].content == ""
    lease = Lease(run_id=run.pk, conversation_id=run.conversation_id, epoch=run.lease_epoch)
    again = prepare(lease, run)
    assert not again.is_new
    assert PROMPT in again.state.messages[0].content


def test_it_runs_with_its_own_space_s_model(
    asker: Persona, script: Play, agent: Agent, share: AgentShare
) -> None:
    assert answered(asker, script, agent).model_name == "their-model"


def test_what_it_costs_is_metered_where_the_model_is_with_the_space_that_asked(
    asker: Persona, mallory: Persona, script: Play, agent: Agent, share: AgentShare
) -> None:
    run = answered(asker, script, agent)
    assert not ModelUsage.objects.exists()
    with mallory.scope():
        rows = list(ModelUsage.objects.all())
        (asked,) = grouped_by(ModelUsage.objects.all(), "person")
        lines = list(usage_csv(ModelUsage.objects.all(), currency="EUR"))
    assert {(row.agent_id, row.asking_space_id, row.user_id, row.run_id) for row in rows} == {
        (agent.pk, asker.space.pk, None, None)
    }
    assert {row.asking_run_id for row in rows} == {run.pk}
    assert (asked.name, asked.runs) == ("People of Space A", 1)
    assert asker.user.email not in "".join(lines)


def test_the_asking_space_s_base_is_read_only_when_it_is_picked(
    asker: Persona, script: Play, agent: Agent, share: AgentShare, ours: KnowledgeBase
) -> None:
    script([[*call("grep_chunks", pattern="rent")], say("55 francs [c1].")])
    run = done(put(asker, agent, base_ids=(ours.pk,)))
    assert "francs" in outputs(asker, run)


def test_another_base_of_its_space_cannot_be_picked(
    asker: Persona, agent: Agent, share: AgentShare, private: KnowledgeBase
) -> None:
    with pytest.raises(NotFound):
        put(asker, agent, base_ids=(private.pk,))


def test_its_base_is_not_open_to_the_space_s_own_agents(
    asker: Persona, agent: Agent, share: AgentShare, theirs: KnowledgeBase
) -> None:
    own = Agent.objects.get()
    with pytest.raises(NotFound):
        put(asker, own, base_ids=(theirs.pk,))


def test_a_restricted_document_stays_closed(
    asker: Persona, mallory: Persona, script: Play, agent: Agent, share: AgentShare
) -> None:
    with mallory.scope():
        document = Document.objects.get(name="lease.txt")
        place = Place(base_id=document.base_id, document_id=document.pk)
        restrict(mallory.actor, place, user_ids=[], group_ids=[])
    model = script([[*call("grep_chunks", pattern="rent")], say("I do not know.")])
    done(put(asker, agent))
    assert "hangar" not in str(model.asked)


def test_an_agent_that_may_read_all_bases_opens_none(
    asker: Persona, mallory: Persona, script: Play, agent: Agent, share: AgentShare
) -> None:
    with mallory.scope():
        Agent.objects.filter(pk=agent.pk).update(base_scope=BaseScope.ALL)
    model = script([say("I have nothing to look in.")])
    done(put(asker, agent))
    assert "Leases" not in str(model.asked)


def test_earlier_turns_of_own_agents_are_not_told_to_it(
    asker: Persona, script: Play, agent: Agent, share: AgentShare
) -> None:
    script([say("The pilot is called Wiebke.")])
    first = done(put(asker, Agent.objects.get(), "Who flies?"))
    model = script([say("900."), say("Still 900.")])
    for text in ("What is the rent?", "And now?"):
        question = Question(text=text, agent_id=agent.pk)
        done(ask(asker.actor, question, conversation_id=first.conversation_id))
    assert "Wiebke" not in str(model.asked)
    assert "What is the rent?" in str(model.asked[-1])


def test_the_conversation_goes_on_with_the_shared_agent(
    asker: Persona, script: Play, agent: Agent, share: AgentShare
) -> None:
    run = answered(asker, script, agent)
    again = ask(asker.actor, Question(text="And?"), conversation_id=run.conversation_id)
    assert again.shared_agent_id == agent.pk
    found = Conversation.objects.get(pk=run.conversation_id)
    assert (found.agent_id, found.shared_space_id) == (None, agent.space_id)


def test_when_the_share_ends_the_passages_are_closed_and_the_agent_is_gone(
    asker: Persona, script: Play, agent: Agent, share: AgentShare
) -> None:
    run = answered(asker, script, agent)
    end(share)
    (evidence,) = evidence_of(asker, run)
    assert (evidence.source_state, evidence.text) == ("hidden", "")
    assert is_closed(asker.actor, run.pk)
    assert "hangar" not in outputs(asker, run)
    assert "900" not in outputs(asker, run)
    assert shared_agents(asker.actor) == []
    with pytest.raises(NotFound):
        put(asker, agent)


def test_a_run_that_waits_is_ended_with_its_reason_when_the_share_ends(
    asker: Persona, agent: Agent, share: AgentShare
) -> None:
    run = put(asker, agent)
    end(share)
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    assert "no longer shared" in run.reason


def test_a_run_under_way_is_stopped_before_its_next_call_of_the_model(
    asker: Persona, script: Play, agent: Agent, share: AgentShare, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    find = find_shared_agent

    def closing(actor: Actor, agent_id: UUID) -> Agent:
        asked.append(1)
        if len(asked) == 2:
            with space_scope(agent.space_id):
                AgentShare._default_manager.filter(pk=share.pk)._raw_delete("default")
        return find(actor, agent_id)

    monkeypatch.setattr(gate, "find_shared_agent", closing)
    model = script([[*call("grep_chunks", pattern="rent")], say("900 euros [c1].")])
    run = done(put(asker, agent))
    assert len(model.asked) == 1
    assert run.state == RunState.CANCELLED
    assert "no longer shared" in run.reason


def test_a_disabled_agent_and_a_deleted_one_stop_their_runs(
    asker: Persona, mallory: Persona, agent: Agent, share: AgentShare
) -> None:
    run = put(asker, agent)
    with mallory.scope():
        enable_agent(mallory.actor, agent_id=agent.pk, is_enabled=False)
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    with pytest.raises(NotFound):
        put(asker, agent)
    with mallory.scope():
        enable_agent(mallory.actor, agent_id=agent.pk, is_enabled=True)
    again = put(asker, agent)
    with mallory.scope():
        agent.delete()
    again.refresh_from_db()
    assert again.state == RunState.CANCELLED


def test_leaving_the_organisation_closes_it(
    asker: Persona, organisation: Organisation, agent: Agent, share: AgentShare
) -> None:
    run = put(asker, agent)
    organisation.members.filter(member=asker.space).delete()
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    with pytest.raises(NotFound):
        find_shared_agent(asker.actor, agent.pk)


def test_an_agent_without_a_model_says_so_without_details(
    asker: Persona, mallory: Persona, agent: Agent, share: AgentShare
) -> None:
    with mallory.scope():
        AIModel.objects.filter(name="their-model").update(is_enabled=False)
    with pytest.raises(Conflict) as refusal:
        put(asker, agent)
    assert "their-model" not in refusal.value.message


def test_a_hidden_agent_is_offered_to_nobody_and_cannot_be_asked(
    asker: Persona, adam: Persona, agent: Agent, share: AgentShare
) -> None:
    with pytest.raises(AccessDenied):
        hide_agent(asker.actor, agent_id=agent.pk, is_hidden=True)
    hide_agent(adam.actor, agent_id=agent.pk, is_hidden=True)
    assert shared_agents(asker.actor) == []
    with pytest.raises(NotFound):
        put(asker, agent)
    hide_agent(adam.actor, agent_id=agent.pk, is_hidden=False)
    assert [each.name for each in shared_agents(asker.actor)] == ["Landlord"]


def test_a_space_that_is_not_chosen_gets_nothing(
    asker: Persona, agent: Agent, organisation: Organisation
) -> None:
    share_agent(agent, organisation, only=())
    assert shared_agents(asker.actor) == []
    with pytest.raises(NotFound):
        put(asker, agent)


def test_the_budget_of_the_space_that_shares_stops_it_without_figures(
    asker: Persona, mallory: Persona, script: Play, agent: Agent, share: AgentShare
) -> None:
    make_budget(mallory.space, max_tokens=0)
    model = script([say("Never said.")])
    run = done(put(asker, agent))
    assert model.asked == []
    assert "spent its budget" in run.reason
    assert "0 of 0" not in run.reason


def test_nothing_of_the_run_lies_in_the_space_that_shares(
    asker: Persona, mallory: Persona, script: Play, agent: Agent, share: AgentShare
) -> None:
    answered(asker, script, agent)
    with mallory.scope():
        assert not AgentRun.objects.exists()
        assert not Conversation.objects.exists()
    with unscoped(reason="a test looks at both spaces"):
        assert set(AgentRun.objects.values_list("space_id", flat=True)) == {asker.space.pk}
