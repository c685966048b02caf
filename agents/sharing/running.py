"""A run of a shared agent: whose agent, bases, model and money it is, and as whom it reads.

Conversation, run, events and evidence are the asking space's. Agent, prompt and model are read in
the scope of the space that shares, and its budget is spent. Tools read as the person who asked, who
is a guest of that space for the bases that the agent names: `accounts.guests`, by `Actor.through`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor
from agents.builtin import shown_name
from agents.constants import BaseScope
from agents.models import Agent, AgentRun
from agents.runs.asker import asker_of, asking
from agents.sharing.received import find_shared_agent
from core.errors import Invalid, NotFound
from core.tenancy import space_scope
from knowledge.models import KnowledgeBase
from knowledge.sharing.parts import shared_bases
from providers.constants import ModelType
from providers.models import AIModel
from providers.parameters import read_parameters
from providers.services.models import default_model

TOOLS: Final = frozenset(
    {
        "thinking",
        "todo_write",
        "knowledge_search",
        "grep_chunks",
        "list_knowledge_chunks",
        "get_document_info",
        "query_knowledge_graph",
        "read_tool_result",
        "publish_artifact",
    }
)
"""What a shared agent may call. Nothing that reads the asking person's memory or conversations, for
its model is another space's; nothing that reaches that space beyond the bases it names."""


@dataclass(frozen=True, kw_only=True)
class Engaged:
    """The agent of a run, and as whom it works."""

    agent: Agent
    actor: Actor
    """Who asked, as they are now."""
    is_shared: bool
    """Whether the agent is another space's."""

    @property
    def space_id(self) -> int:
        """Whose agent, model and budget it is."""
        return self.agent.space_id


def engage(run: AgentRun) -> Engaged:
    """Return the agent of a run as it is now; that it is still shared is asked anew.

    Raises:
        NotFound: the person is no member any more, or the key is not valid any more.
        Invalid: the agent is gone, switched off, or no longer shared.
    """
    actor = asker_of(run)
    if run.shared_agent_id is None:
        if run.agent is None or not run.agent.is_enabled:
            raise Invalid(
                _("The agent was removed or turned off; choose another one and ask again.")
            )
        return Engaged(agent=run.agent, actor=actor, is_shared=False)
    try:
        agent = find_shared_agent(actor, run.shared_agent_id)
    except NotFound as gone:
        raise Invalid(no_longer_shared()) from gone
    return Engaged(agent=agent, actor=actor, is_shared=True)


def no_longer_shared() -> str:
    """Return why a run of an agent ends whose share is over."""
    return _("This agent is no longer shared with your space. Choose another one and ask again.")


def fields_for(agent: Agent, *, space_id: int) -> dict[str, Any]:
    """Return the fields of a run that name its agent, in a conversation of this space."""
    if agent.space_id == space_id:
        return {"agent": agent}
    return {
        "agent": None,
        "shared_agent_id": agent.pk,
        "shared_space_id": agent.space_id,
        "shared_agent_name": shown_name(agent.builtin_key, agent.name)[:120],
    }


def chat_model_of(agent: Agent) -> AIModel:
    """Return the row of the agent's chat model, in the agent's own space.

    Raises:
        NotFound: it names none, and its space has no default.
    """
    with space_scope(agent.space_id):
        return agent.chat_model or default_model(agent.space_id, ModelType.CHAT)


def model_fields(row: AIModel) -> dict[str, Any]:
    """Return the fields of a run that name the model that answers."""
    return {
        "model_name": row.name,
        "is_extractive": read_parameters(row.parameters).extractive,
    }


def bases_of_shared(actor: Actor, agent: Agent) -> list[KnowledgeBase]:
    """Return the bases that a shared agent names, as far as its share opens them, by name."""
    if agent.base_scope != BaseScope.SELECTED:
        return []
    with space_scope(agent.space_id):
        named: set[UUID] = set(agent.bases.values_list("pk", flat=True))
    reader = asking(actor, agent_id=agent.pk)
    return [base for base in shared_bases(reader, named) if base.space_id == agent.space_id]
