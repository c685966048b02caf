"""Names of the background jobs of corrections."""

from core.jobs.declare import Job

EMBED_CORRECTED = Job(name="knowledge.embed_corrected", queue="ingest", time_limit_seconds=1800.0)
