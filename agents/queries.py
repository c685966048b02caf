"""Reads of agents, conversations and runs, as far as the actor may see them."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet

from accounts.access import Actor, visible
from agents.models import Agent, AgentRun, Conversation, RunEvent
from core.errors import NotFound


def list_agents(actor: Actor) -> QuerySet[Agent]:
    """Return the agents the actor may ask, in their order."""
    rows = Agent.objects.filter(is_enabled=True).select_related("chat_model")
    return visible(actor, "use", rows)


def get_agent(actor: Actor, agent_id: UUID) -> Agent:
    """Return one agent.

    Raises:
        NotFound: there is none, or the actor may not use it.
    """
    agent = list_agents(actor).filter(pk=agent_id).first()
    if agent is None:
        raise NotFound("There is no such agent.")
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
    """Return the actor's own conversations, newest first."""
    return visible(actor, "view", Conversation.objects.all()).order_by("-last_message_at")


def get_conversation(actor: Actor, conversation_id: UUID) -> Conversation:
    """Return one of the actor's conversations.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    found = list_conversations(actor).filter(pk=conversation_id).select_related("agent").first()
    if found is None:
        raise NotFound("There is no such conversation.")
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
        raise NotFound("There is no such run.")
    return run


def runs_of(actor: Actor, conversation_id: UUID) -> QuerySet[AgentRun]:
    """Return a conversation's runs in the order of their questions."""
    rows = AgentRun.objects.filter(conversation_id=conversation_id).select_related(
        "question", "answer", "agent"
    )
    return visible(actor, "view", rows).order_by("question__position")


def events_after(actor: Actor, *, run_id: UUID, seq: int) -> list[RunEvent]:
    """Return a run's events after `seq`, in their order.

    Raises:
        NotFound: there is no such run, or it belongs to somebody else's conversation.
    """
    run = get_run(actor, run_id)
    return list(RunEvent.objects.filter(run=run, seq_to__gt=seq).order_by("seq"))
