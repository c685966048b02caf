"""Keeps an agent from answering otherwise unnoticed where golden questions could tell.

What a change does is seen by asking a copy of the agent: an evaluation of the copy beside one of the
agent. Who saves the change says in the note of the version why; that is audited.
"""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.constants import BaseScope
from agents.models import Agent
from agents.services.versions import Snapshot, snapshot_of
from core.errors import Invalid
from knowledge.constants import GoldenState
from knowledge.models import GoldenQuestion

_DECIDE_ANSWERS = ("mode", "instructions", "chat_model_id", "config")


def is_gated(agent: Agent, before: Snapshot) -> bool:
    """Say whether the agent will answer otherwise than `before`, and golden questions could tell."""
    now = snapshot_of(agent)
    if all(now[name] == before[name] for name in _DECIDE_ANSWERS):
        return False
    if agent.base_scope == BaseScope.NONE:
        return False
    rows = GoldenQuestion.objects.filter(state=GoldenState.CONFIRMED, base__deleted_at__isnull=True)
    if agent.base_scope == BaseScope.SELECTED:
        rows = rows.filter(base_id__in=agent.bases.values("pk"))
    return rows.exists()


def refuse_without_reason(note: str) -> None:
    """Return when the note says why.

    Raises:
        Invalid: it is blank; `field` is `note`.
    """
    if not note.strip():
        raise Invalid(
            _(
                "The knowledge bases of this agent have golden questions. Copy the agent, change"
                " the copy and evaluate both to see what changes; or say here why it is changed"
                " without that."
            ),
            field="note",
        )
