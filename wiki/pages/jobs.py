"""Names of the background jobs of pages."""

from core.jobs.declare import Job

THIN_REVISIONS = Job(name="wiki.thin_revisions", queue="default")
