"""Who an actor is as the author of an edit."""

from __future__ import annotations

from uuid import UUID

from accounts.access import Actor
from wiki.constants import AuthorKind
from wiki.values import Author


def person(actor: Actor) -> Author:
    """Return the actor as who writes themselves; a key without a person has no name."""
    return Author(kind=AuthorKind.USER, user_id=actor.user_id)


def agent_of(actor: Actor, *, agent_id: UUID | None, run_id: UUID | None) -> Author:
    """Return an agent that works for the actor."""
    return Author(kind=AuthorKind.AGENT, user_id=actor.user_id, agent_id=agent_id, run_id=run_id)
