"""What stands before each call of a shared agent's model: the share, and the budget of its space.

People of the asking space are told that the budget is spent, not how much it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor
from agents.engine.cancel import CancelToken
from agents.engine.state import RunState
from agents.runs.asker import renewed
from agents.sharing.received import find_shared_agent
from agents.sharing.stopping import stop_run_closed
from agents.spending.standing import standings_for
from core.aio import in_db
from core.errors import NotFound
from core.tenancy import space_scope


@dataclass(frozen=True, kw_only=True)
class SharedGate:
    """The engine's `Gate` of a run of a shared agent; a share that is over stops the run."""

    actor: Actor
    run_id: UUID
    agent_id: UUID
    shared_by: int
    stop: CancelToken

    async def refusal(self, state: RunState) -> str | None:
        """Return why no further call may be made, for people, or None."""
        if await in_db(self._is_over):
            self.stop.cancel()
            return None  # the loop looks at the token before it asks the model
        return await in_db(refusal_of_sharer, agent_id=self.agent_id, shared_by=self.shared_by)

    def _is_over(self) -> bool:
        try:
            find_shared_agent(renewed(self.actor), self.agent_id)
        except NotFound:
            stop_run_closed(self.run_id)
            return True
        return False


def refusal_of_sharer(*, agent_id: UUID, shared_by: int) -> str | None:
    """Return why the model of a shared agent may not be called now; None when it may."""
    with space_scope(shared_by):
        standings = standings_for(agent_id=agent_id, user_id=None)
    if not standings or not standings[0].is_used_up:
        return None
    return _(
        "The space that shares this agent has spent its budget; no further model call is made."
    )
