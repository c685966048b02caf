"""Names of the background jobs of this app."""

from core.jobs.declare import Job

BUILD_PAGES = Job(
    name="wiki.build_pages", queue="enrich", time_limit_seconds=7200.0, max_attempts=10
)
"""Builds the next documents of a base into its pages, and takes others out."""
TIDY_WIKI = Job(name="wiki.tidy", queue="enrich")
"""Links and the index page after proposals of building were published."""
