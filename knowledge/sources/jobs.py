"""Names of the background jobs that bring files in."""

from core.jobs.declare import Job

FETCH_DOCUMENT = Job(
    name="knowledge.fetch_document", queue="ingest", time_limit_seconds=600.0, max_attempts=5
)
SCAN_DOCUMENT = Job(
    name="knowledge.scan_document", queue="ingest", time_limit_seconds=600.0, max_attempts=100_000
)
"""A scanner that is away is waited for: nothing is read unscanned, and nothing is lost."""
