"""Names of the background jobs of this app."""

from core.jobs.declare import Job

INGEST_DOCUMENT = Job(
    name="knowledge.ingest_document", queue="ingest", time_limit_seconds=7200.0, max_attempts=10
)
"""Ten tries with growing pauses bridge a model that is away for twenty minutes."""
REMOVE_DOCUMENT = Job(name="knowledge.remove_document", queue="default")
REMOVE_BASE = Job(name="knowledge.remove_base", queue="default")
ADD_MEMBERS = Job(
    name="knowledge.add_members", queue="ingest", time_limit_seconds=7200.0, max_attempts=5
)
"""Makes documents of what is inside of an archive or a mail."""
