"""Gives sandboxes the files of skills, and their commands the variables.

A version's files are unpacked once on each machine, under the hash of their content, into a
directory that nobody writes to again. Workers that unpack the same at once do not meet: each works
in a directory of its own, and the first that is done gives it its name.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Collection
from pathlib import Path

from django.utils.translation import gettext as _

from core.errors import NotFound
from sandbox.contract import SkillMount
from sandbox.skill_models import Skill, SkillVariable, SkillVersion
from sandbox.skills.bundle import BundleLimits, check_path
from sandbox.skills.permissions import read_permissions
from sandbox.skills.store import open_archive, unpacked_folder

SKILLS_ROOT = "/skills"


def usable_skills(names: Collection[str] | None = None) -> list[Skill]:
    """Return the skills of the current space that agents may use, by name; None: all of them."""
    rows = Skill.objects.filter(removed_at=None, is_enabled=True, current__isnull=False)
    if names is not None:
        rows = rows.filter(name__in=names)
    return list(rows.select_related("current"))


def mounts_for(names: Collection[str] | None = None) -> list[SkillMount]:
    """Return directories with the files of these skills of the current space, unpacked if need be.

    Names of skills that are turned off or gone are passed over.
    """
    return [
        SkillMount(name=skill.name, directory=str(unpack_version(skill.current)))
        for skill in usable_skills(names)
        if skill.current is not None
    ]


def environment_for(user_id: int | None, skill: Skill) -> dict[str, str]:
    """Return the variables of a skill's commands: for commands, never for people or the model.

    Only those it was agreed to be given; a person's own go before the space's.
    """
    if skill.current is None:
        return {}
    allowed = read_permissions(skill.current.permissions).secrets
    rows = SkillVariable.objects.filter(skill=skill, name__in=allowed)
    shared = {row.name: row.value for row in rows.filter(user_id__isnull=True)}
    own = {row.name: row.value for row in rows.filter(user_id=user_id or 0)}
    values = {name: str(value) for name, value in {**shared, **own}.items() if value}
    return {**values, "WEKNORA_SKILL_DIR": f"{SKILLS_ROOT}/{skill.name}"}


def read_skill_file(skill: Skill, path: str) -> bytes:
    """Return a file of the version in use.

    Raises:
        NotFound: it has no such file; names some that it has.
    """
    version = skill.current
    known = [name for name, _size in version.files] if version is not None else []
    if version is None or path not in known:
        raise NotFound(
            _("The skill has no file %(path)r. It has: %(files)s")
            % {"path": path[:200], "files": ", ".join(known[:30])}
        )
    with (
        open_archive(version.space_id, version.content_hash) as stored,
        zipfile.ZipFile(stored) as archive,
    ):
        return archive.read(path)


def unpack_version(version: SkillVersion) -> Path:
    """Return the directory with a version's files.

    Raises:
        NotFound: the store has lost its files; it must be installed again.
    """
    folder = unpacked_folder(version.space_id)
    target = folder / version.content_hash
    if target.is_dir():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    working = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=folder))
    try:
        _unpack(version, working)
        working.rename(target)
    except FileNotFoundError as error:
        raise NotFound(
            _("The files of the skill %(name)r are gone; install it again.")
            % {"name": version.skill.name}
        ) from error
    except OSError:
        if not target.is_dir():  # else another worker was first
            raise
    finally:
        if working.is_dir():
            _remove(working)
    return target


def _unpack(version: SkillVersion, into: Path) -> None:
    limits = BundleLimits()
    with (
        open_archive(version.space_id, version.content_hash) as stored,
        zipfile.ZipFile(stored) as archive,
    ):
        for info in archive.infolist():
            path = into / check_path(info.orig_filename, limits)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(info))
    _close(into)


def _close(directory: Path) -> None:
    """Take every right to write away, innermost first; readable for any user of a sandbox."""
    for folder, _folders, files in os.walk(directory, topdown=False):
        for name in files:
            (Path(folder) / name).chmod(0o444)
        Path(folder).chmod(0o555)


def _remove(directory: Path) -> None:
    for folder, _folders, _files in os.walk(directory):
        Path(folder).chmod(0o700)
    shutil.rmtree(directory)


def skill_named(names: Collection[str] | None, name: str) -> Skill:
    """Return a usable skill by name, within `names`.

    Raises:
        NotFound: there is none of this name that may be used.
    """
    allowed = usable_skills(names)
    for skill in allowed:
        if skill.name == name:
            return skill
    raise NotFound(
        _("There is no skill %(name)r here. There are: %(names)s")
        % {"name": name[:80], "names": ", ".join(each.name for each in allowed) or "-"}
    )
