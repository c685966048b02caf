"""Names of the background jobs of this app."""

from core.jobs.declare import Job

END_SESSION = Job(name="sandbox.end_session", time_limit_seconds=120.0)
PROBE_BACKEND = Job(name="sandbox.probe_backend", time_limit_seconds=120.0, max_attempts=1)
