"""Lets an observer look on at a run's events, when traces are sent anywhere; else costs nothing."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from django.conf import settings

from agents.engine.events import AgentEvent

logger = logging.getLogger(__name__)


class Observer(Protocol):
    """What looks on."""

    def see(self, event: AgentEvent) -> None:
        """Take one event in; never raises."""

    def close(self) -> None:
        """The stretch of work is over; never raises."""


@dataclass(frozen=True, kw_only=True)
class RunFacts:
    """What a trace says of its run."""

    run_id: UUID
    conversation_id: UUID
    space_id: int
    user_id: int | None
    agent_id: UUID
    agent_name: str
    model: str

    def attributes(self) -> dict[str, str]:
        """Return them under the names of the conventions."""
        return {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.id": str(self.agent_id),
            "gen_ai.agent.name": self.agent_name,
            "gen_ai.conversation.id": str(self.conversation_id),
            "gen_ai.request.model": self.model,
            "session.id": str(self.conversation_id),
            "user.id": str(self.user_id or ""),
            "weknora.space.id": str(self.space_id),
            "weknora.run.id": str(self.run_id),
        }


async def traced(
    facts: RunFacts, events: AsyncGenerator[AgentEvent, None]
) -> AsyncGenerator[AgentEvent, None]:
    """Yield the events as they are and make spans of them, when traces are sent anywhere."""
    observer = _observer(facts)
    try:
        async with aclosing(events) as items:
            async for event in items:
                if observer is not None:
                    observer.see(event)
                yield event
    finally:
        if observer is not None:
            observer.close()


def _observer(facts: RunFacts) -> Observer | None:
    if not settings.OTEL_ENDPOINT:
        return None
    try:
        # Nearly a second of imports, only for those who trace.
        from agents.tracing.observer import observe  # noqa: PLC0415

        return observe(facts)
    except Exception:  # a trace is never worth a run
        logger.exception("Traces cannot be made")
        return None
