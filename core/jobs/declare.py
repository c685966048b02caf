"""Names of jobs, so that services can enqueue what tasks implement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Queue = Literal["default", "runs", "ingest", "enrich"]


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job's stable name, its queue and its bounds; the handler lives in the app's `tasks.py`."""

    name: str
    queue: Queue = "default"
    max_attempts: int = 5
    """How often a worker may die on it, or a retry be asked for, before it fails."""
    time_limit_seconds: float = 3600.0
    """After this the job is told to stop, and fails with that reason."""
