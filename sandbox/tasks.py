"""The jobs of this app: they run where the backends are, never in a web process."""

from __future__ import annotations

from uuid import UUID

from core.errors import ProjectError
from core.jobs.handlers import JobContext, RetryJob, handles
from sandbox.jobs import END_SESSION, PROBE_BACKEND
from sandbox.services.cleaning import end_session_now
from sandbox.services.probing import probe_now


@handles(END_SESSION)
def end_session(_: JobContext, *, session_id: str) -> None:
    """Remove a workspace; cleaning tries again when its machine cannot be reached."""
    try:
        end_session_now(UUID(session_id))
    except ProjectError as failure:
        raise RetryJob(failure.message, delay_seconds=30.0) from failure


@handles(PROBE_BACKEND)
def probe_backend(_: JobContext, *, config_id: str, ticket: str) -> None:
    """Try a sandbox out for the administrator who waits for it."""
    probe_now(config_id=UUID(config_id) if config_id else None, ticket=ticket)
