"""Name of the job that reads a file with another engine."""

from core.jobs.declare import Job

PROPOSE_TEXT = Job(
    name="knowledge.propose_text", queue="ingest", time_limit_seconds=3600.0, max_attempts=3
)
