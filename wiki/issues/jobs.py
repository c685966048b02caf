"""Names of the jobs that check wikis."""

from core.jobs.declare import Job

LINT_WIKI = Job(name="wiki.lint", time_limit_seconds=1800.0)
