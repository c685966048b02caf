"""What skills erase with a space: archives in the store and unpacked files; rows go with it.

A person's own variables go with the person's row; consents and logs keep no name of theirs.
"""

from __future__ import annotations

from accounts.platform.erasure import Counts, Subject, register_eraser
from sandbox.skill_models import SkillVersion
from sandbox.skills.store import forget_space


@register_eraser("space", name="sandbox.skills")
def erase_space(subject: Subject) -> Counts:
    """Remove the files of a space's skills."""
    rows = SkillVersion.objects.filter(space_id=subject.id)
    hashes = set(rows.values_list("content_hash", flat=True))
    forget_space(int(subject.id), hashes)
    return {"sandbox.SkillVersion": len(hashes)}
