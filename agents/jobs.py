"""Names of the background jobs of this app."""

from core.jobs.declare import Job

RUN_AGENT = Job(name="agents.run_agent", queue="runs", time_limit_seconds=3600.0)
FOLD_RUN = Job(name="agents.fold_run", queue="default")
