"""Skills for tests: rows without files, and whole ones."""

from __future__ import annotations

from itertools import count
from typing import Any

from accounts.models import Space
from core.tenancy import space_scope
from sandbox.skill_constants import SkillSource
from sandbox.skill_models import Skill, SkillConsent, SkillVersion
from sandbox.skills.permissions import Permissions

_numbers = count(1)


def make_skill(space: Space, *, name: str = "", **fields: Any) -> SkillVersion:
    """Make a skill in use that has rows and no files."""
    asked = Permissions(secrets=fields.pop("secrets", ())).as_json()
    with space_scope(space.pk):
        skill = Skill.objects.create(space=space, name=name or f"skill-{next(_numbers)}", **fields)
        version = SkillVersion.objects.create(
            space=space,
            skill=skill,
            number=1,
            description="Adds numbers up.",
            permissions=asked,
            source=SkillSource.UPLOAD,
            content_hash="0" * 64,
            size_bytes=10,
            files=[["SKILL.md", 10]],
        )
        SkillConsent.objects.create(space=space, version=version, permissions=asked)
        skill.current = version
        skill.save()
    return version
