"""Starters of the agent that is chosen for a new conversation, an own one or a shared one."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from accounts.access import Actor
from agents.queries import get_agent
from agents.sharing.received import shared_agent
from agents.suggestions.reading import Offered
from agents.suggestions.starters import starters_of
from agents.suggestions.values import Suggestion, curated
from core.errors import NotFound


@dataclass(frozen=True, kw_only=True)
class SharedStarters:
    """What people of the sharing space wrote; none of it is counted or made anew here."""

    questions: tuple[Suggestion, ...]


def offered_starters(actor: Actor, agent_id: UUID) -> Offered | SharedStarters | None:
    """Return the starters of an agent that the actor may ask; None when it offers none.

    Raises:
        NotFound: there is no such agent.
    """
    try:
        agent = get_agent(actor, agent_id)
    except NotFound:
        questions = curated(shared_agent(actor, agent_id).starters)
        return SharedStarters(questions=tuple(questions)) if questions else None
    return starters_of(actor, agent)
