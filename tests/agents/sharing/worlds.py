"""An agent of space B that is shared with space A, for tests."""

from __future__ import annotations

from typing import Any

from accounts.models import Organisation, Space
from agents.constants import BaseScope
from agents.models import Agent, AgentShare
from core.tenancy import space_scope
from knowledge.models import KnowledgeBase
from tests.factories.agents import make_agent

PROMPT = "Answer like a landlord whose secret is 4711."


def make_sharable(
    space: Space, *bases: KnowledgeBase, name: str = "Landlord", **fields: Any
) -> Agent:
    """Make an agent that names its bases."""
    fields.setdefault("instructions", PROMPT)
    agent = make_agent(space, name=name, base_scope=BaseScope.SELECTED, **fields)
    with space_scope(space.pk):
        agent.bases.set(bases)
    return agent


def share_agent(
    agent: Agent, organisation: Organisation, *, only: tuple[Space, ...] | None = None
) -> AgentShare:
    """Open an agent."""
    with space_scope(agent.space_id):
        share = AgentShare.objects.create(
            space_id=agent.space_id,
            agent=agent,
            organisation=organisation,
            only_receivers=only is not None,
        )
        share.receivers.set(only or ())
    return share


def end(share: AgentShare) -> None:
    """Close a share."""
    with space_scope(share.space_id):
        share.delete()
