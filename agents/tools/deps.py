"""What the runner gives to every tool of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from accounts.access import Actor
from agents.configuration import AgentConfig
from agents.engine.capabilities import Capability
from agents.runs.store import Lease
from core.jobs.handlers import JobContext


@dataclass(frozen=True, kw_only=True)
class RunDeps:
    """Who asks, and where they may look."""

    actor: Actor
    run_id: UUID
    conversation_id: UUID
    agent_id: UUID
    base_ids: tuple[UUID, ...]
    """The bases of this run, which the actor may see; empty: there is nothing to look in."""
    config: AgentConfig = AgentConfig()
    """The agent's configuration in force."""
    document_ids: tuple[UUID, ...] = ()
    """Only these documents of their own bases; empty: all."""
    whole_base_ids: tuple[UUID, ...] = ()
    """Beside `document_ids`: the bases of which no document was named."""
    capabilities: Mapping[UUID, frozenset[Capability]] = field(default_factory=dict)
    """What each of the bases can do."""
    shared_by: int | None = None
    """The space whose agent it is, where that is not the actor's: it is shared with theirs."""
    depth: int = 0
    """How many runs stand above this one."""
    lease: Lease | None = None
    """The right under which the run writes; present while a worker has it."""
    job: JobContext | None = None
    """The job in which the run is worked on; runs that it begins are worked on in the same."""
