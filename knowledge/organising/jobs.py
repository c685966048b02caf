"""Names of the background jobs that keep bases in order."""

from core.jobs.declare import Job

COPY_BASE = Job(
    name="knowledge.copy_base", queue="default", time_limit_seconds=7200.0, max_attempts=50
)
"""It begins again, where it was, each time that too many documents wait."""
EMPTY_TRASH = Job(name="knowledge.empty_trash", queue="default")
