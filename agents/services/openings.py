"""Opening another person's conversation: only owners, only to read, only where the space allows it.

Each opening is an audit event, and the conversation's person sees who opened it and when.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from accounts.models import AuditEvent
from accounts.services.audit import record_audit
from agents.models import AgentRun, Conversation
from core.errors import NotFound

ACTION = "conversation.open_other"
_SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class Opening:
    """Who opened a conversation, and when last."""

    name: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class OpenedRun:
    """A run, and whether it is another person's."""

    run: AgentRun
    is_other: bool


def openable_conversations(actor: Actor, *, user_id: int) -> QuerySet[Conversation]:
    """Return a person's conversations that the actor may open, newest first."""
    rows = Conversation.objects.filter(user_id=user_id, is_internal=False)
    return visible(actor, "manage", rows).order_by("-last_message_at")


def open_conversation(actor: Actor, *, conversation_id: UUID) -> Conversation:
    """Return another person's conversation, to be read; writes down that it was opened.

    Raises:
        NotFound: there is none, or the actor may not open it.
    """
    rows = Conversation.objects.filter(pk=conversation_id).select_related("user", "agent")
    found = visible(actor, "manage", rows).first()
    if found is None:
        raise NotFound(_("There is no such conversation."))
    if found.user_id != actor.user_id:
        record_audit(actor, ACTION, target=found, user_id=found.user_id)
    return found


def open_run(actor: Actor, *, run_id: UUID) -> OpenedRun:
    """Return a run of the actor, or of another person's conversation, which is written down.

    Raises:
        NotFound: there is none, or the actor may not open it.
    """
    rows = AgentRun.objects.filter(pk=run_id).select_related(
        "question", "answer", "agent", "user", "conversation", "parent"
    )
    own = visible(actor, "view", rows).first()
    if own is not None:
        return OpenedRun(run=own, is_other=False)
    other = visible(actor, "manage", rows).first()
    if other is None:
        raise NotFound(_("There is no such run."))
    top = top_conversation(other)
    record_audit(actor, ACTION, target=top, user_id=other.user_id, run_id=str(other.pk))
    return OpenedRun(run=other, is_other=True)


def openings_of(conversation: Conversation) -> list[Opening]:
    """Return who opened a conversation, each person once with the last time, the newest first."""
    rows = AuditEvent.objects.filter(
        action=ACTION, target_id=str(conversation.pk), outcome="done"
    ).order_by("-created_at")
    newest: dict[str, Opening] = {}
    for row in rows[: _SHOWN * 10]:
        newest.setdefault(row.actor_id, Opening(name=row.actor_name, at=row.created_at))
    return list(newest.values())[:_SHOWN]


def top_conversation(run: AgentRun) -> Conversation:
    """Return the conversation that people see: that of the run on top of all."""
    while run.parent is not None:
        run = run.parent
    return run.conversation
