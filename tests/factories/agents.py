"""Agents, conversations and runs for tests. Each function opens the space of what it makes."""

from __future__ import annotations

from itertools import count
from typing import Any

from django.utils import timezone

from accounts.models import Space, User
from agents.constants import AgentMode, MessageRole, RunState
from agents.models import Agent, AgentRun, Conversation, Message
from core.tenancy import space_scope

_numbers = count(1)


def make_agent(
    space: Space, *, name: str = "", mode: str = AgentMode.REACT, **fields: Any
) -> Agent:
    """Make an agent that reads all bases."""
    with space_scope(space.pk):
        return Agent.objects.create(
            space=space, name=name or f"Agent {next(_numbers)}", mode=mode, **fields
        )


def make_conversation(
    space: Space, *, user: User, title: str = "A talk", agent: Agent | None = None
) -> Conversation:
    """Make a conversation in which nothing was said yet."""
    with space_scope(space.pk):
        return Conversation.objects.create(space=space, user=user, title=title, agent=agent)


def make_message(
    conversation: Conversation, text: str, *, role: str = MessageRole.USER, **fields: Any
) -> Message:
    """Add a message at the conversation's end."""
    with space_scope(conversation.space_id):
        return Message.objects.create(
            space_id=conversation.space_id,
            conversation=conversation,
            role=role,
            text=text,
            position=conversation.messages.count(),
            **fields,
        )


def make_run(
    conversation: Conversation,
    *,
    question: str = "Why?",
    answer: str = "",
    state: str = RunState.DONE,
    **fields: Any,
) -> AgentRun:
    """Ask `question` and make its run; with `answer` it has its message, too. No events."""
    asked = make_message(conversation, question)
    answered = make_message(conversation, answer, role=MessageRole.ASSISTANT) if answer else None
    if state == RunState.DONE:
        fields.setdefault("ended_at", timezone.now())
    with space_scope(conversation.space_id):
        return AgentRun.objects.create(
            space_id=conversation.space_id,
            conversation=conversation,
            question=asked,
            answer=answered,
            agent=conversation.agent,
            user_id=conversation.user_id,
            principal=conversation.principal,
            state=state,
            **fields,
        )
