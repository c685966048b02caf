"""Name of the job that brings a mirror up to date, and how it is asked for."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from core.jobs.declare import Job
from core.jobs.enqueue import enqueue

MIRROR_WIKI = Job(name="wiki.mirror", queue="enrich", time_limit_seconds=7200.0)
DEBOUNCE_SECONDS: Final = 30.0


def mirror_soon(base_id: UUID, *, delay_seconds: float = DEBOUNCE_SECONDS) -> None:
    """See that a job looks at the base's mirror; one that waits already is enough."""
    enqueue(MIRROR_WIKI, dedupe_key=str(base_id), delay_seconds=delay_seconds, base_id=str(base_id))
