"""Skills in a container: copied into a file system that only root may write."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Sequence
from pathlib import Path

from django.utils.translation import gettext as _

from core.errors import Invalid
from sandbox.backends.paths import is_good_name
from sandbox.contract import SkillMount


def packed_skills(skills: Sequence[SkillMount]) -> bytes:
    """Return an archive of the regular files of skills, each below its name.

    Raises:
        Invalid: a skill's name is none, or its directory is not there.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for skill in skills:
            directory = Path(skill.directory)
            if not is_good_name(skill.name) or not directory.is_dir():
                raise Invalid(
                    _("The files of the skill %(name)r are missing.") % {"name": skill.name}
                )
            archive.add(directory, arcname=skill.name, filter=_plain)
    return buffer.getvalue()


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if not (member.isdir() or member.isreg()):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
    return member
