"""Writes down what was done to skills: into their own log and into the audit."""

from __future__ import annotations

from typing import Any

from accounts.access import Actor
from accounts.services.audit import record_audit
from sandbox.skill_constants import SkillAction
from sandbox.skill_models import Skill, SkillEvent, SkillVersion


def log_skill(
    actor: Actor,
    action: SkillAction,
    skill: Skill,
    *,
    version: SkillVersion | None = None,
    detail: str = "",
    **details: Any,
) -> None:
    """Write an entry of both logs, in the caller's transaction."""
    label = f"{version.number} ({version.label})" if version and version.label else ""
    label = label or (str(version.number) if version else "")
    SkillEvent.objects.create(
        space_id=actor.space_id,
        skill=skill,
        name=skill.name,
        action=action,
        version=label,
        detail=detail[:500],
        user_id=actor.user_id,
    )
    if version is not None:
        details["version"] = version.number
    record_audit(actor, f"skill.{action}", target=skill, **details)


def log_failure(actor: Actor, name: str, reason: str) -> None:
    """Write down that something could not be installed, and why."""
    SkillEvent.objects.create(
        space_id=actor.space_id,
        name=name[:255],
        action=SkillAction.FAILED,
        detail=reason[:500],
        user_id=actor.user_id,
    )
    record_audit(actor, "skill.failed", outcome="failed", name=name[:255], reason=reason[:500])
