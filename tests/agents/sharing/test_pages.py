"""Pages of shared agents, as people of both spaces see them."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.models import Organisation
from agents.models import Agent, AgentShare
from knowledge.models import Document, KnowledgeBase
from tests.accounts.organisations.worlds import make_organisation
from tests.agents.sharing.worlds import PROMPT, end, make_sharable, share_agent
from tests.factories.accounts import make_space
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.personas import Persona

CONFIG = {"question_suggestions": {"starters": {"mode": "curated", "items": ["What is due?"]}}}


@pytest.fixture
def base(adam: Persona) -> KnowledgeBase:
    base = make_base(adam.space, name="Leases")
    make_document(base, name="lease.txt", texts=["The rent is 900."])
    make_document(make_base(adam.space, name="Private"), name="private.txt", texts=["Hush."])
    return base


@pytest.fixture
def organisation(adam: Persona, mallory: Persona) -> Organisation:
    make_model(adam.space, type="chat", is_default=True)
    return make_organisation(adam.space, editors=(mallory.space, make_space("Depot")))


@pytest.fixture
def agent(adam: Persona, base: KnowledgeBase) -> Agent:
    return make_sharable(
        adam.space, base, created_by=adam.user, description="Knows rents.", config=CONFIG
    )


@pytest.fixture
def share(agent: Agent, organisation: Organisation) -> AgentShare:
    return share_agent(agent, organisation)


def test_an_admin_shares_and_stops_on_the_agent_s_page(
    adam: Persona, agent: Agent, organisation: Organisation
) -> None:
    page = reverse("agent_sharing", args=[agent.pk])
    html = adam.client.get(page).text
    assert "Not shared" in html
    assert "Leases" in html
    form = {"organisation": str(organisation.pk), "reach": "all"}
    assert adam.client.post(page, form).status_code == 302
    with adam.scope():
        share = AgentShare.objects.get()
    assert "With all its spaces" in adam.client.get(page).text
    ended = adam.client.post(reverse("agent_sharing_end", args=[agent.pk, share.pk]))
    assert ended.status_code == 302
    assert "Not shared" in adam.client.get(page).text


def test_what_cannot_be_shared_says_what_to_mend(adam: Persona, organisation: Organisation) -> None:
    agent = make_agent(adam.space, created_by=adam.user)
    form = {"organisation": str(organisation.pk), "reach": "all"}
    refused = adam.client.post(reverse("agent_sharing", args=[agent.pk]), form)
    assert refused.status_code == 422
    assert "Select the knowledge bases" in refused.text


def test_it_is_offered_in_the_list_and_at_the_composer_with_its_space(
    mallory: Persona, agent: Agent, share: AgentShare
) -> None:
    listed = mallory.client.get(reverse("agents")).text
    assert "Shared with this space" in listed
    assert "from Space A" in listed
    chat = mallory.client.get(reverse("chat_new") + f"?agent={agent.pk}").text
    assert "Landlord · Space A" in chat
    assert "What is due?" in chat
    end(share)
    assert "Landlord" not in mallory.client.get(reverse("agents")).text
    assert "Landlord" not in mallory.client.get(reverse("chat_new")).text


def test_its_page_shows_name_description_and_starters_and_nothing_else(
    mallory: Persona, agent: Agent, share: AgentShare
) -> None:
    html = mallory.client.get(reverse("agent_received", args=[agent.pk])).text
    assert "Knows rents." in html
    assert "What is due?" in html
    for secret in (PROMPT, "Leases", "Private"):
        assert secret not in html
    assert mallory.client.get(reverse("agent", args=[agent.pk])).status_code == 404
    assert mallory.client.get(reverse("agent_versions", args=[agent.pk])).status_code == 404
    assert mallory.client.post(reverse("agent_copy", args=[agent.pk])).status_code == 404


def test_an_admin_hides_it_and_offers_it_again(
    mallory: Persona, agent: Agent, share: AgentShare
) -> None:
    hide = reverse("agent_hide", args=[agent.pk])
    mallory.client.post(hide, {"hidden": "1"})
    assert "Landlord · Space A" not in mallory.client.get(reverse("chat_new")).text
    assert "hidden here" in mallory.client.get(reverse("agents")).text
    mallory.client.post(hide, {"hidden": "0"})
    assert "Landlord · Space A" in mallory.client.get(reverse("chat_new")).text


def test_a_question_to_it_begins_a_conversation_at_home(
    mallory: Persona, agent: Agent, share: AgentShare
) -> None:
    form = {"text": "What is the rent?", "agent_id": str(agent.pk), "client_id": "c1"}
    asked = mallory.client.post(reverse("chat_new"), form)
    assert asked.status_code == 302
    page = mallory.client.get(asked.headers["Location"]).text
    assert "Landlord" in page
    assert f'value="{agent.pk}" selected' in page


def test_the_menu_of_names_offers_its_bases_and_one_s_own(
    mallory: Persona, agent: Agent, share: AgentShare
) -> None:
    make_base(mallory.space, name="Our base")
    html = mallory.client.get(reverse("agent_mentions", args=[agent.pk])).text
    assert "Leases" in html
    assert "Our base" in html
    assert "Private" not in html


def test_a_source_of_its_answers_opens_by_its_share_and_the_base_does_not(
    adam: Persona, mallory: Persona, agent: Agent, share: AgentShare, base: KnowledgeBase
) -> None:
    with adam.scope():
        source = Document.objects.get(name="lease.txt")
        private = Document.objects.get(name="private.txt")
    page = reverse("document", args=[source.pk])
    assert "The rent is 900." in mallory.client.get(page).text
    assert mallory.client.get(reverse("document", args=[private.pk])).status_code == 404
    assert mallory.client.get(reverse("base", args=[base.pk])).status_code == 404
    assert mallory.client.post(reverse("document_delete", args=[source.pk])).status_code == 403
    end(share)
    assert mallory.client.get(page).status_code == 404


def test_the_shared_list_of_organisations_leads_to_it(
    mallory: Persona, agent: Agent, share: AgentShare
) -> None:
    html = mallory.client.get(reverse("shared_with_us")).text
    assert reverse("agent_received", args=[agent.pk]) in html
