"""What is forgotten elsewhere of a space that is erased: what its shared agents were called."""

from __future__ import annotations

from accounts.platform.erasure import Counts, Subject, register_eraser
from agents.models import AgentRun, AgentShare, HiddenAgent


@register_eraser("space", name="agents.shared")
def forget_sharer(subject: Subject) -> Counts:
    """Blank the names in runs of those who asked; answers stay theirs, without the passages."""
    shared = AgentShare.objects.filter(space_id=subject.id).values("agent_id")
    HiddenAgent.objects.filter(agent_id__in=shared).delete()
    named = AgentRun.objects.filter(shared_space_id=subject.id).exclude(shared_agent_name="")
    return {"agents.AgentRun.shared_agent_name": named.update(shared_agent_name="")}
