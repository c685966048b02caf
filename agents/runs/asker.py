"""With whose rights a run reads: a person's, or a machine's that asked by a key."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor
from accounts.actors import actor_of
from accounts.keys.authentication import actor_of_principal
from accounts.models import User
from agents.models import AgentRun
from core.errors import NotFound


def asker_of(run: AgentRun) -> Actor:
    """Return who asked, as they are now.

    Raises:
        NotFound: the person is no member of the space any more, or the key is not valid any more.
    """
    if run.user is None:
        return actor_of_principal(run.principal, space_id=run.space_id)
    actor = actor_of(run.user, space_id=run.space_id)
    return asking(actor, agent_id=run.shared_agent_id)


def asking(actor: Actor, *, agent_id: UUID | None) -> Actor:
    """Return the actor as they ask a shared agent: what its share opens is theirs to read.

    None stands for an agent of their own space, which opens nothing.
    """
    return actor if agent_id is None else replace(actor, through=frozenset({agent_id}))


def renewed(actor: Actor) -> Actor:
    """Return an actor that was made a while ago, as they are now.

    Raises:
        NotFound: the person is no member of the space any more, or the key is not valid any more.
    """
    if actor.user_id is None:
        return actor_of_principal(actor.principal, space_id=actor.space_id)
    user = User.objects.filter(pk=actor.user_id).first()
    if user is None:
        raise NotFound(_("This person is gone."))
    return replace(actor_of(user, space_id=actor.space_id), through=actor.through)


def name_of_asker(run: AgentRun) -> str:
    """Return who asked, for people; also when they are gone."""
    if run.user is not None:
        return str(run.user)
    try:
        return asker_of(run).name
    except NotFound:
        return run.principal
