"""What the runner gives to every tool of a run."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from accounts.access import Actor


@dataclass(frozen=True, kw_only=True)
class RunDeps:
    """Who asks, and where they may look."""

    actor: Actor
    run_id: UUID
    base_ids: tuple[UUID, ...]
    """The bases of this run, which the actor may see; empty: there is nothing to look in."""
