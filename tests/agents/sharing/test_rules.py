"""Sharing an agent: who may, what is refused, what both spaces read in their logs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accounts.models import AuditEvent, Organisation, OrganisationSpace
from accounts.organisations.sharing import end_share, share_row, shares_of
from agents.constants import BaseScope
from agents.models import Agent, AgentShare
from agents.services.agent_values import values_of_agent
from agents.services.agents import restore_version, update_agent
from agents.sharing.received import shared_agents
from core.errors import AccessDenied, Invalid, NotFound
from knowledge.models import KnowledgeBase
from tests.accounts.organisations.worlds import add_space, make_organisation
from tests.agents.sharing.worlds import make_sharable, share_agent
from tests.factories.accounts import make_space
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.personas import Persona


@pytest.fixture
def organisation(cora: Persona, mallory: Persona) -> Organisation:
    make_model(cora.space, type="chat", is_default=True)
    return make_organisation(cora.space, editors=(mallory.space,))


@pytest.fixture
def base(cora: Persona) -> KnowledgeBase:
    return make_base(cora.space, name="Hers", created_by=cora.user)


@pytest.fixture
def others(adam: Persona) -> KnowledgeBase:
    return make_base(adam.space, name="Adam's", created_by=adam.user)


def share(persona: Persona, agent: Agent, organisation: Organisation) -> AgentShare:
    with persona.scope():
        made = share_row(
            persona.actor, kind="agent", object_id=agent.pk, organisation_id=organisation.pk
        )
    assert isinstance(made, AgentShare)
    return made


def test_its_creator_shares_it_and_it_is_there_with_its_space_s_name(
    cora: Persona, mallory: Persona, organisation: Organisation, base: KnowledgeBase
) -> None:
    agent = make_sharable(cora.space, base, created_by=cora.user, description="Knows hangars.")
    share(cora, agent, organisation)
    with mallory.scope():
        (row,) = shared_agents(mallory.actor)
    assert (row.name, row.description, row.owner) == ("Landlord", "Knows hangars.", "Space A")


def test_another_contributor_does_not_share_it(
    cora: Persona, adam: Persona, organisation: Organisation
) -> None:
    agent = make_sharable(cora.space, created_by=adam.user)
    with pytest.raises(AccessDenied):
        share(cora, agent, organisation)


def test_a_space_that_is_only_a_viewer_there_does_not_share(
    cora: Persona, mallory: Persona
) -> None:
    make_model(cora.space, type="chat", is_default=True)
    elsewhere = make_organisation(mallory.space)
    add_space(elsewhere, cora.space)
    agent = make_sharable(cora.space, created_by=cora.user)
    with pytest.raises(AccessDenied):
        share(cora, agent, elsewhere)


def test_an_agent_without_a_model_is_not_shared(cora: Persona, mallory: Persona) -> None:
    organisation = make_organisation(cora.space, editors=(mallory.space,))
    agent = make_sharable(cora.space, created_by=cora.user)
    with pytest.raises(Invalid, match="no chat model"):
        share(cora, agent, organisation)


def test_an_agent_that_is_off_is_not_shared(cora: Persona, organisation: Organisation) -> None:
    agent = make_sharable(cora.space, created_by=cora.user, is_enabled=False)
    with pytest.raises((Invalid, NotFound)):
        share(cora, agent, organisation)


def test_an_agent_that_reads_all_bases_is_not_shared(
    cora: Persona, organisation: Organisation
) -> None:
    agent = make_agent(cora.space, created_by=cora.user)
    with pytest.raises(Invalid, match="all knowledge bases"):
        share(cora, agent, organisation)


def test_who_may_not_share_a_base_does_not_open_it_by_an_agent(
    cora: Persona, adam: Persona, organisation: Organisation, others: KnowledgeBase
) -> None:
    agent = make_sharable(cora.space, others, created_by=cora.user)
    with pytest.raises(Invalid, match="Adam's"):
        share(cora, agent, organisation)
    share(adam, agent, organisation)


def test_a_shared_agent_gets_no_base_that_is_not_its_editor_s_to_share(
    cora: Persona,
    adam: Persona,
    organisation: Organisation,
    base: KnowledgeBase,
    others: KnowledgeBase,
) -> None:
    agent = make_sharable(cora.space, base, created_by=cora.user)
    share(cora, agent, organisation)
    with cora.scope():
        agent.refresh_from_db()
        wider = replace(values_of_agent(agent), base_ids=(base.pk, others.pk))
        with pytest.raises(Invalid) as refusal:
            update_agent(cora.actor, agent_id=agent.pk, values=wider, expected_version=1)
        assert refusal.value.data["field"] == "base_ids"
        assert list(agent.bases.all()) == [base]
        everything = replace(values_of_agent(agent), base_scope=BaseScope.ALL)
        with pytest.raises(Invalid):
            update_agent(cora.actor, agent_id=agent.pk, values=everything, expected_version=1)
    with adam.scope():
        update_agent(adam.actor, agent_id=agent.pk, values=wider, expected_version=1)
        assert agent.bases.count() == 2


def test_a_version_with_more_bases_does_not_come_back_into_a_shared_agent(
    cora: Persona, adam: Persona, organisation: Organisation, others: KnowledgeBase
) -> None:
    agent = make_sharable(cora.space, others, created_by=cora.user)
    with adam.scope():
        values = replace(values_of_agent(agent), base_ids=())
        update_agent(adam.actor, agent_id=agent.pk, values=values, expected_version=1)
    share(cora, agent, organisation)
    with cora.scope(), pytest.raises(Invalid, match="Adam's"):
        restore_version(cora.actor, agent_id=agent.pk, number=1)


def test_both_spaces_read_it_in_their_logs(
    cora: Persona, mallory: Persona, organisation: Organisation
) -> None:
    agent = make_sharable(cora.space, created_by=cora.user)
    made = share(cora, agent, organisation)
    with cora.scope():
        end_share(cora.actor, kind="agent", share_id=made.pk)
    for persona in (cora, mallory):
        with persona.scope():
            rows = AuditEvent.objects.filter(action__startswith="agent.share")
            assert set(rows.values_list("action", flat=True)) == {"agent.share", "agent.share_end"}
    with mallory.scope():
        told = AuditEvent.objects.filter(action="agent.share").get().details
    assert told["from_space"] == "Space A"
    assert "receivers" not in str(told)


def test_a_space_outside_hears_and_sees_nothing(
    cora: Persona, mallory: Persona, organisation: Organisation
) -> None:
    outside = make_space("Space X")
    add_space(organisation, outside)
    agent = make_sharable(cora.space, created_by=cora.user)
    with cora.scope():
        share_row(
            cora.actor,
            kind="agent",
            object_id=agent.pk,
            organisation_id=organisation.pk,
            receiver_ids=[mallory.space.pk],
        )
    with mallory.scope():
        assert len(shared_agents(mallory.actor)) == 1
        assert AuditEvent.objects.filter(action="agent.share").exists()
    elsewhere = replace(mallory.actor, space_id=outside.pk)
    assert shared_agents(elsewhere) == []


def test_a_sharing_space_that_was_made_a_viewer_opens_nothing(
    cora: Persona, mallory: Persona, organisation: Organisation
) -> None:
    share_agent(make_sharable(cora.space), organisation)
    assert shared_agents(mallory.actor)
    OrganisationSpace.objects.filter(organisation=organisation, member=cora.space).update(
        role="viewer"
    )
    assert shared_agents(mallory.actor) == []


def test_only_who_may_share_reads_with_whom_it_is_shared(
    cora: Persona, victor: Persona, mallory: Persona, organisation: Organisation
) -> None:
    agent = make_sharable(cora.space, created_by=cora.user)
    share_agent(agent, organisation)
    with victor.scope(), pytest.raises(AccessDenied):
        shares_of(victor.actor, kind="agent", object_id=agent.pk)
    with mallory.scope(), pytest.raises(NotFound):
        shares_of(mallory.actor, kind="agent", object_id=agent.pk)
