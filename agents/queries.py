"""Reads of agents, conversations and runs, as far as the actor may see them."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from agents.builtin import hidden_keys
from agents.models import Agent, AgentRun, Conversation, RunEvent
from agents.tracing.sight import masked_rows
from core.errors import NotFound
from knowledge.models import KnowledgeBase


def list_agents(actor: Actor) -> QuerySet[Agent]:
    """Return the agents the actor may ask, in their order."""
    rows = Agent.objects.filter(is_enabled=True).exclude(builtin_key__in=hidden_keys())
    return visible(actor, "use", rows.select_related("chat_model"))


def list_agent_rows(actor: Actor) -> QuerySet[Agent]:
    """Return every agent the actor sees, switched off or not, but for those that no list shows."""
    rows = Agent.objects.exclude(builtin_key__in=hidden_keys())
    return visible(actor, "view", rows.select_related("chat_model", "created_by"))


def get_any_agent(actor: Actor, agent_id: UUID) -> Agent:
    """Return one agent, switched off or not.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    rows = Agent.objects.filter(pk=agent_id).select_related("chat_model", "created_by")
    agent = visible(actor, "view", rows).first()
    if agent is None:
        raise NotFound(_("There is no such agent."))
    return agent


def get_agent(actor: Actor, agent_id: UUID) -> Agent:
    """Return one agent.

    Raises:
        NotFound: there is none, or the actor may not use it.
    """
    rows = Agent.objects.filter(pk=agent_id, is_enabled=True).select_related("chat_model")
    agent = visible(actor, "use", rows).first()
    if agent is None:
        raise NotFound(_("There is no such agent."))
    return agent


def find_agent(actor: Actor, name: str) -> Agent:
    """Return the agent with this name or built-in key, whatever the case.

    Raises:
        NotFound: there is none, or the actor may not use it.
    """
    rows = list_agents(actor)
    agent = rows.filter(name__iexact=name).first() or rows.filter(builtin_key__iexact=name).first()
    if agent is None:
        raise NotFound(f"There is no agent named {name!r}.")
    return agent


def list_conversations(actor: Actor) -> QuerySet[Conversation]:
    """Return the actor's own conversations, newest first; those among agents are not listed."""
    rows = Conversation.objects.filter(is_internal=False)
    return visible(actor, "view", rows).order_by("-last_message_at")


def get_conversation(actor: Actor, conversation_id: UUID) -> Conversation:
    """Return one of the actor's conversations.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    found = list_conversations(actor).filter(pk=conversation_id).select_related("agent").first()
    if found is None:
        raise NotFound(_("There is no such conversation."))
    return found


def get_run(actor: Actor, run_id: UUID) -> AgentRun:
    """Return one run with its question, answer, agent and conversation.

    Raises:
        NotFound: there is none, or it belongs to somebody else's conversation.
    """
    rows = AgentRun.objects.filter(pk=run_id).select_related(
        "question", "answer", "agent", "conversation"
    )
    run = visible(actor, "view", rows).first()
    if run is None:
        raise NotFound(_("There is no such run."))
    return run


def runs_of(actor: Actor, conversation_id: UUID) -> QuerySet[AgentRun]:
    """Return a conversation's runs in the order of their questions."""
    rows = AgentRun.objects.filter(conversation_id=conversation_id).select_related(
        "question", "answer", "agent"
    )
    return visible(actor, "view", rows).order_by("question__position")


def events_after(actor: Actor, *, run_id: UUID, seq: int) -> list[RunEvent]:
    """Return a run's events after `seq`, in their order, without text the actor may not see.

    Raises:
        NotFound: there is no such run, or it belongs to somebody else's conversation.
    """
    run = get_run(actor, run_id)
    rows = RunEvent.objects.filter(run=run, seq_to__gt=seq).order_by("seq")
    return masked_rows(actor, list(rows))


def get_builtin_agent(actor: Actor, key: str) -> Agent:
    """Return the space's built-in agent with this key, switched off or not.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    rows = Agent.objects.filter(builtin_key=key).exclude(builtin_key="")
    agent = visible(actor, "view", rows.select_related("chat_model", "created_by")).first()
    if agent is None:
        raise NotFound(_("There is no such agent."))
    return agent


def base_ids_of(actor: Actor, agent_ids: Collection[UUID]) -> dict[UUID, list[str]]:
    """Return the selected bases of agents, as far as the actor sees the bases; one query."""
    through = Agent.bases.through
    pairs = through.objects.filter(
        agent_id__in=agent_ids,
        knowledgebase_id__in=visible(actor, "view", KnowledgeBase.objects.all()).values("pk"),
    )
    found: dict[UUID, list[str]] = {}
    for agent_id, base_id in pairs.values_list("agent_id", "knowledgebase_id"):
        found.setdefault(agent_id, []).append(str(base_id))
    return found
