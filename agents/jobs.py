"""Names of the background jobs of this app."""

from core.jobs.declare import Job

RUN_AGENT = Job(name="agents.run_agent", queue="runs", time_limit_seconds=3600.0, max_attempts=1000)
"""A run counts for itself how often its workers died without progress, see `agents.runs.store`."""
FOLD_RUN = Job(name="agents.fold_run", queue="default")
DISTILL_MEMORY = Job(name="agents.distill_memory", time_limit_seconds=600.0)
EMBED_MEMORY = Job(name="agents.embed_memory", time_limit_seconds=300.0, max_attempts=3)
CONSOLIDATE_MEMORY = Job(name="agents.consolidate_memory", time_limit_seconds=600.0)
SUGGEST_FOLLOW_UPS = Job(name="agents.suggest_follow_ups", time_limit_seconds=180.0, max_attempts=3)
SUGGEST_STARTERS = Job(name="agents.suggest_starters", time_limit_seconds=180.0, max_attempts=3)
CHECK_SENTENCES = Job(name="agents.check_sentences", time_limit_seconds=180.0, max_attempts=3)
GATHER_UNANSWERED = Job(name="agents.gather_unanswered", time_limit_seconds=120.0, max_attempts=3)
