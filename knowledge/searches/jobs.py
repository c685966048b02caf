"""Names of the background jobs of recorded searches."""

from core.jobs.declare import Job

FORGET_SEARCHES = Job(name="knowledge.forget_searches", queue="default")
