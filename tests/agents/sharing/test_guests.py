"""What a guest may do with an agent that is shared with them."""

from __future__ import annotations

from accounts.access import Actor, Shared, may
from accounts.constants import SharePermission
from core.tenancy import space_scope
from tests.factories.agents import make_agent
from tests.personas import Persona


def test_a_guest_asks_the_shared_agent_and_does_not_read_what_it_is_told(
    adam: Persona, mallory: Persona
) -> None:
    agent, other = make_agent(adam.space, name="Shared"), make_agent(adam.space, name="Other")
    shared = Shared(kind="agent", object_id=agent.pk, permission=SharePermission.EDITOR)
    guest = Actor(
        kind="user",
        id=mallory.actor.id,
        user_id=mallory.user.pk,
        space_id=adam.space.pk,
        home_space_id=mallory.space.pk,
        shared=frozenset({shared}),
    )
    with space_scope(adam.space.pk):
        assert may(guest, "use", agent)
        assert not any(may(guest, action, agent) for action in ("view", "change", "share"))
        assert not may(guest, "use", other)
