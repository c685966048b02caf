"""The list of conversations in the shell of every page, grouped by day."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor
from agents.constants import RunState
from agents.models import AgentRun, Conversation
from agents.queries import list_conversations

SHOWN = 60


@dataclass(frozen=True, kw_only=True)
class Line:
    """One conversation."""

    title: str
    url: str
    is_current: bool
    is_running: bool
    is_waiting: bool


@dataclass(kw_only=True)
class Group:
    """Conversations of one day, or week."""

    label: str
    conversations: list[Line] = field(default_factory=list)


def conversation_groups(actor: Actor, *, current_id: UUID | None) -> list[Group]:
    """Return the actor's newest conversations, grouped by when something was said last."""
    runs = AgentRun.objects.filter(conversation=OuterRef("pk"))
    rows = list_conversations(actor).annotate(
        is_running=Exists(runs.filter(state__in=(RunState.QUEUED, RunState.RUNNING))),
        is_waiting=Exists(runs.filter(state=RunState.WAITING_APPROVAL)),
    )[:SHOWN]
    return _grouped(rows, current_id=current_id, now=timezone.localtime())


def _grouped(
    rows: Iterable[Conversation], *, current_id: UUID | None, now: datetime
) -> list[Group]:
    groups: list[Group] = []
    for row in rows:
        label = _label(timezone.localtime(row.last_message_at), now)
        if not groups or groups[-1].label != label:
            groups.append(Group(label=label))
        groups[-1].conversations.append(_line(row, current_id))
    return groups


def _line(row: Conversation, current_id: UUID | None) -> Line:
    return Line(
        title=str(row),
        url=reverse("conversation", args=[row.pk]),
        is_current=row.pk == current_id,
        is_running=bool(getattr(row, "is_running", False)),
        is_waiting=bool(getattr(row, "is_waiting", False)),
    )


def _label(at: datetime, now: datetime) -> str:
    days = (now.date() - at.date()) // timedelta(days=1)
    if days <= 0:
        return _("Today")
    if days == 1:
        return _("Yesterday")
    if days <= 7:
        return _("Last 7 days")
    if days <= 30:
        return _("Last 30 days")
    return _("Earlier")
