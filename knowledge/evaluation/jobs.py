"""Names of the background jobs of evaluations."""

from core.jobs.declare import Job

EVALUATE = Job(
    name="knowledge.evaluate", queue="enrich", time_limit_seconds=7200.0, max_attempts=20
)
