"""Use cases of conversations: ask, stop, rename, delete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.access import Actor, require
from agents.constants import OPEN_RUN_STATES, MessageRole, RunState
from agents.jobs import RUN_AGENT
from agents.models import Agent, AgentRun, Conversation, Message
from agents.queries import get_agent, get_conversation, get_run, list_agents
from agents.runs.publish import publish_deletion
from agents.runs.store import finish_unstarted
from core.errors import Conflict, Invalid, NotFound
from core.jobs.enqueue import enqueue
from knowledge.queries import get_base

TITLE_CHARACTERS = 80


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a person asks."""

    text: str
    agent_id: UUID | None = None
    """None: the conversation's agent, else the space's first."""
    base_ids: tuple[UUID, ...] = ()
    """Only these bases; empty: all of the agent's."""
    client_id: str = ""
    """Chosen by the sender; the same one again returns the run that was begun."""


def ask(actor: Actor, question: Question, *, conversation_id: UUID | None = None) -> AgentRun:
    """Put a question and return its queued run; without a conversation a new one begins.

    Raises:
        NotFound: conversation, agent or base is none of the actor's.
        Invalid: the question is empty or too long, or the space has no agent.
        Conflict: the conversation's last question is being answered.
    """
    text = _clean_text(question.text)
    agent = _agent_for(actor, question, conversation_id)
    for base_id in question.base_ids:
        require(actor, "use", get_base(actor, base_id))
    with transaction.atomic():
        conversation = _conversation_for(actor, conversation_id, text)
        asked_before = _same_question(conversation, question.client_id)
        if asked_before is not None:
            return asked_before
        _refuse_while_running(conversation)
        conversation.agent = agent
        conversation.base_ids = [str(base_id) for base_id in question.base_ids]
        conversation.last_message_at = timezone.now()
        conversation.save(update_fields=["agent", "base_ids", "last_message_at"])
        return _begin(actor, conversation, agent, text=text, question=question)


def stop_run(actor: Actor, *, run_id: UUID) -> AgentRun:
    """Ask a run to stop; what it has so far stays. A run that is over stays as it is.

    Raises:
        NotFound: it is none of the actor's.
    """
    run = get_run(actor, run_id)
    require(actor, "change", run)
    with transaction.atomic():
        run = AgentRun.objects.select_for_update().get(pk=run.pk)
        if run.state == RunState.QUEUED and run.last_seq == 0:
            finish_unstarted(run, outcome="stopped", reason="cancelled", detail="Stopped by you.")
        elif run.state in OPEN_RUN_STATES:
            AgentRun.objects.filter(pk=run.pk).update(cancel_requested=True)
    return AgentRun.objects.get(pk=run.pk)


def create_conversation(actor: Actor, *, title: str = "") -> Conversation:
    """Begin an empty conversation."""
    require(actor, "create", Conversation)
    if actor.user_id is None:
        raise Invalid("Only a person can have a conversation.")
    return Conversation.objects.create(
        space_id=actor.space_id, user_id=actor.user_id, title=title[:200]
    )


def rename_conversation(actor: Actor, *, conversation_id: UUID, title: str) -> Conversation:
    """Give a conversation another title.

    Raises:
        NotFound: it is none of the actor's.
        Invalid: the title is blank.
    """
    conversation = get_conversation(actor, conversation_id)
    require(actor, "change", conversation)
    cleaned = " ".join(title.replace("\x00", "").split())[:200]
    if not cleaned:
        raise Invalid("A conversation needs a title.")
    conversation.title = cleaned
    conversation.save(update_fields=["title"])
    return conversation


def delete_conversation(actor: Actor, *, conversation_id: UUID) -> None:
    """Delete a conversation with its messages, runs and events; open runs are stopped.

    Raises:
        NotFound: it is none of the actor's.
    """
    conversation = get_conversation(actor, conversation_id)
    require(actor, "delete", conversation)
    with transaction.atomic():
        AgentRun.objects.filter(conversation=conversation, state__in=OPEN_RUN_STATES).update(
            cancel_requested=True
        )
        conversation.delete()
        transaction.on_commit(lambda: publish_deletion(conversation_id))


def _clean_text(text: str) -> str:
    cleaned = text.replace("\x00", "").strip()
    if not cleaned:
        raise Invalid("Write a question first.")
    limit = settings.MAX_QUESTION_CHARACTERS
    if len(cleaned) > limit:
        raise Invalid(
            f"The question has {len(cleaned):,} characters; {limit:,} are the most. Put long texts"
            " into a knowledge base and ask about them."
        )
    return cleaned


def _agent_for(actor: Actor, question: Question, conversation_id: UUID | None) -> Agent:
    if question.agent_id is not None:
        return get_agent(actor, question.agent_id)
    if conversation_id is not None:
        agent = get_conversation(actor, conversation_id).agent
        if agent is not None and agent.is_enabled:
            return agent
    agent = list_agents(actor).first()
    if agent is None:
        raise Invalid("This space has no agent that answers; an administrator can enable one.")
    return agent


def _conversation_for(actor: Actor, conversation_id: UUID | None, text: str) -> Conversation:
    """Return the conversation, locked; a new or untitled one is named by its first question."""
    if conversation_id is None:
        return create_conversation(actor, title=_title_of(text))
    get_conversation(actor, conversation_id)
    conversation = Conversation.objects.select_for_update().filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound("There is no such conversation.")
    if not conversation.title:
        conversation.title = _title_of(text)
        conversation.save(update_fields=["title"])
    return conversation


def _title_of(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= TITLE_CHARACTERS:
        return line
    return line[: TITLE_CHARACTERS - 1].rstrip() + "…"


def _same_question(conversation: Conversation, client_id: str) -> AgentRun | None:
    if not client_id:
        return None
    return AgentRun.objects.filter(conversation=conversation, question__client_id=client_id).first()


def _refuse_while_running(conversation: Conversation) -> None:
    running = AgentRun.objects.filter(conversation=conversation, state__in=OPEN_RUN_STATES)
    if running.exists():
        raise Conflict("The last question is still being answered. Wait for it, or stop it first.")


def _begin(
    actor: Actor,
    conversation: Conversation,
    agent: Agent,
    *,
    text: str,
    question: Question,
) -> AgentRun:
    message = Message.objects.create(
        space_id=actor.space_id,
        conversation=conversation,
        role=MessageRole.USER,
        text=text,
        client_id=question.client_id[:64],
        position=next_position(conversation),
    )
    run = AgentRun(
        space_id=actor.space_id,
        conversation=conversation,
        question=message,
        agent=agent,
        user_id=conversation.user_id,
        base_ids=[str(base_id) for base_id in question.base_ids],
    )
    run.job_id = enqueue(RUN_AGENT, run_id=str(run.pk))
    run.save(force_insert=True)
    return run


def next_position(conversation: Conversation) -> int:
    """Return the place of the conversation's next message, from 0."""
    rows: Sequence[int | None] = list(
        Message.objects.filter(conversation=conversation).aggregate(last=Max("position")).values()
    )
    return 0 if rows[0] is None else rows[0] + 1
