"""Writes down when a run that slept may not go on, because its person or agent is no more allowed."""

from __future__ import annotations

from accounts.access import Actor, ActorKind
from accounts.services.audit import record_audit
from agents.models import AgentRun, Approval
from core.errors import ProjectError


def audit_refused_resume(run: AgentRun, error: ProjectError) -> None:
    """Write down each call of the run whose decision is not carried out."""
    asker = _asker(run)
    for row in Approval.objects.filter(run=run, applied_at=None):
        record_audit(
            asker,
            "approval.execute",
            target=run,
            outcome="refused",
            tool=row.tool_name,
            call_id=row.call_id,
            reason=error.message,
        )


def _asker(run: AgentRun) -> Actor:
    """Return who asked as the audit names them: without a right, which they may have lost."""
    if run.user_id is not None:
        return Actor(kind="user", id=str(run.user_id), space_id=run.space_id, user_id=run.user_id)
    kind, _, name = run.principal.partition(":")
    machine: ActorKind = "external" if kind == "external" else "api_key"
    return Actor(kind=machine, id=name, space_id=run.space_id, name=run.principal)
