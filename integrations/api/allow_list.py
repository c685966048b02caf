"""Keys that are limited to bases: told at once that a base is not on their list, existing or not."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from accounts.access import Actor
from agents.constants import BaseScope
from agents.models import Agent
from core.errors import AccessDenied


def require_listed(actor: Actor, base_ids: Iterable[UUID]) -> None:
    """Return when the actor's key may touch the bases; what else they may, services ask.

    Raises:
        AccessDenied: one of them is not on the key's list.
    """
    if actor.base_ids is not None and not actor.base_ids.issuperset(base_ids):
        raise AccessDenied("This key is limited to other bases.", attempted="bases.view")


def require_named_bases(actor: Actor, agent: Agent, *, named: bool) -> None:
    """Return when a question cannot reach for more than the key's bases.

    Raises:
        AccessDenied: the agent reads all bases, the key does not, and the question names none.
    """
    if actor.base_ids is not None and agent.base_scope == BaseScope.ALL and not named:
        raise AccessDenied(
            "This key is limited to some bases and the agent reads all: name knowledge_base_ids.",
            attempted="agents.use",
        )


def refuse_public_urls(actor: Actor, wanted: str) -> None:
    """Refuse links that open without a key to keys that are limited to bases.

    Raises:
        AccessDenied: the key is limited.
    """
    if wanted == "public" and actor.base_ids is not None:
        raise AccessDenied("A key that is limited to bases gets no public links.")
