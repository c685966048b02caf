"""Agents that other spaces share with the actor's: listed, found to be asked, hidden.

A person of the receiving space sees name, description and starters. What the agent is told to do,
with which model, bases and tools, stays with its space.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.guests import can_be_guest, guest_for
from accounts.services.audit import record_audit
from accounts.shares import kind_of, read_received
from agents.builtin import shown_description, shown_name
from agents.models import Agent, AgentShare, HiddenAgent
from agents.queries import get_agent
from core.errors import NotFound
from core.tenancy import space_scope


@dataclass(frozen=True, kw_only=True)
class SharedAgent:
    """An agent of another space, as far as it may be seen here."""

    id: UUID
    name: str
    description: str
    owner_id: int
    owner: str
    """The space that shares it."""
    organisations: tuple[str, ...]
    starters: tuple[str, ...]
    """Questions that its own people wrote for it."""
    is_hidden: bool = False


def shared_agents(actor: Actor, *, with_hidden: bool = False) -> list[SharedAgent]:
    """Return the agents that are shared with the actor's space, by name.

    `with_hidden` gives those, too, that its administrators took out of the lists.
    """
    if not can_be_guest(actor):
        return []
    shares = read_received(kind_of("agent"), actor.space_id)
    hidden = _hidden_ids(actor) if shares else frozenset()
    return [row for row in _rows(shares, hidden) if with_hidden or not row.is_hidden]


def shared_agent(actor: Actor, agent_id: UUID, *, with_hidden: bool = False) -> SharedAgent:
    """Return one of `shared_agents`.

    Raises:
        NotFound: it is not shared with the actor's space, or hidden there.
    """
    rows = shared_agents(actor, with_hidden=with_hidden)
    found = next((row for row in rows if row.id == agent_id), None)
    if found is None:
        raise NotFound(_("There is no such agent."))
    return found


def find_shared_agent(actor: Actor, agent_id: UUID) -> Agent:
    """Return the row of a shared agent, to run it; nothing of it is for people to read.

    Raises:
        NotFound: it is not, or no longer, shared with the actor's space, switched off, or hidden.
    """
    guest = guest_for(actor, kind="agent", object_id=agent_id)
    if guest is None or agent_id in _hidden_ids(actor):
        raise NotFound(_("There is no such agent."))
    with space_scope(guest.space_id):
        return get_agent(guest, agent_id)


def agent_to_ask(actor: Actor, agent_id: UUID) -> Agent:
    """Return an agent of the actor's space, or one that another space shares with it.

    Raises:
        NotFound: there is none of them.
    """
    try:
        with space_scope(actor.space_id):
            return get_agent(actor, agent_id)
    except NotFound:
        return find_shared_agent(actor, agent_id)


@transaction.atomic
def hide_agent(actor: Actor, *, agent_id: UUID, is_hidden: bool) -> SharedAgent:
    """Take a shared agent out of the lists of the actor's space, or put it back.

    Raises:
        AccessDenied: the actor is no administrator.
        NotFound: it is not shared with the space.
    """
    require(actor, "create", HiddenAgent)
    found = shared_agent(actor, agent_id, with_hidden=True)
    if is_hidden == found.is_hidden:
        return found
    if is_hidden:
        HiddenAgent.objects.create(space_id=actor.space_id, agent_id=agent_id)
    else:
        HiddenAgent.objects.filter(agent_id=agent_id).delete()
    record_audit(
        actor,
        "agent.hide" if is_hidden else "agent.unhide",
        agent=str(agent_id),
        name=found.name,
        from_space=found.owner,
    )
    return replace(found, is_hidden=is_hidden)


def _rows(shares: Iterable[AgentShare], hidden: frozenset[UUID]) -> list[SharedAgent]:
    by_id: dict[UUID, SharedAgent] = {}
    for share in shares:
        agent, organisation = share.agent, share.organisation.name
        known = by_id.get(agent.pk)
        if known is not None:
            names = tuple(sorted({*known.organisations, organisation}))
            by_id[agent.pk] = replace(known, organisations=names)
            continue
        by_id[agent.pk] = SharedAgent(
            id=agent.pk,
            name=shown_name(agent.builtin_key, agent.name),
            description=shown_description(agent.builtin_key, agent.description),
            owner_id=share.space_id,
            owner=share.space.name,
            organisations=(organisation,),
            starters=_starters(agent),
            is_hidden=agent.pk in hidden,
        )
    return list(by_id.values())


def _starters(agent: Agent) -> tuple[str, ...]:
    config = agent.settings.question_suggestions.starters
    if not config.enabled or config.mode not in ("curated", "hybrid"):
        return ()
    return tuple(config.items[: config.count])


def _hidden_ids(actor: Actor) -> frozenset[UUID]:
    with space_scope(actor.space_id):  # the page may be a guest's, in the scope of another space
        return frozenset(HiddenAgent.objects.values_list("agent_id", flat=True))
