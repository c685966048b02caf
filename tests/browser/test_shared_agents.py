"""Pages of shared agents in a browser, as people of both spaces see them, wide and narrow."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.urls import reverse

from tests.accounts.organisations.worlds import make_organisation
from tests.agents.sharing.worlds import make_sharable, share_agent
from tests.browser.conftest import problems_of_pages
from tests.factories.accounts import make_space
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.personas import Persona

pytestmark = pytest.mark.browser
"""A folder for pictures of the pages, for people who want to look at them."""
CONFIG = {
    "question_suggestions": {
        "starters": {
            "mode": "curated",
            "items": ["Which leases end this year?", "Who pays for repairs of the hangar doors?"],
        }
    }
}


@pytest.fixture
def pages(olivia: Persona, mallory: Persona) -> dict[str, str]:
    """The pages' HTML."""
    cache.clear()
    make_model(olivia.space, type="chat", is_default=True)
    make_model(mallory.space, type="chat", is_default=True)
    organisation = make_organisation(
        olivia.space, name="Airfield association", editors=(mallory.space, make_space("Depot"))
    )
    leases = make_base(olivia.space, name="Leases of the airfield")
    agent = make_sharable(
        olivia.space,
        leases,
        make_base(olivia.space, name="House rules"),
        description="Knows every lease of the airfield, who pays for what, and until when.",
        config=CONFIG,
    )
    share_agent(agent, organisation, only=(mallory.space,))
    everything = make_agent(olivia.space, name="Reads everything")
    make_agent(mallory.space, name="Our own agent")
    asked = {
        "sharing of an agent": (olivia, reverse("agent_sharing", args=[agent.pk])),
        "sharing, not yet": (olivia, reverse("agent_sharing", args=[everything.pk])),
        "agents, receiving": (mallory, reverse("agents")),
        "received": (mallory, reverse("agent_received", args=[agent.pk])),
        "chat": (mallory, reverse("chat_new") + f"?agent={agent.pk}"),
    }
    return {name: who.client.get(url).content.decode() for name, (who, url) in asked.items()}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_are_accessible(pages, open_page, page, width, theme):
    assert problems_of_pages(pages, open_page, page, width=width, theme=theme) == []


def test_a_starter_of_a_shared_agent_goes_into_the_box(pages, open_page):
    page = open_page(pages["chat"])
    page.get_by_role("button", name="Which leases end this year?").click()
    assert page.locator("#prompt").input_value() == "Which leases end this year?"
