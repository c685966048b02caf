"""Making and removing what one workspace needs on the host."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from core.errors import Invalid
from sandbox.backends.bubblewrap.cgroups import groups_of
from sandbox.backends.bubblewrap.command import View, python_view
from sandbox.backends.bubblewrap.mounts import is_mounted, mount_memory, mount_view, unmount
from sandbox.backends.bubblewrap.places import Session, is_reachable
from sandbox.backends.environment import FONT_CACHE
from sandbox.backends.paths import is_good_name
from sandbox.contract import SandboxLimits, SkillMount


def is_root() -> bool:
    """Whether sessions get host users and file systems of their own."""
    return os.geteuid() == 0


def exists(session: Session) -> bool:
    """Whether a session is complete: after a restart of the machine, memory is empty."""
    record = session.record()
    return record is not None and (not record.tmpfs or is_mounted(session.disk))


def make(session: Session, key: str, limits: SandboxLimits, *, in_memory: bool) -> None:
    """Make an empty workspace; what was half made or lost before is removed.

    Raises:
        OSError: the disk does not let us.
    """
    clear(session)
    session.disk.mkdir(parents=True, mode=0o711)
    for directory in (session.directory.parent.parent, session.directory.parent, session.directory):
        directory.chmod(0o711)
    tmpfs = in_memory and is_root() and _mounted_memory(session, limits)
    session.disk.chmod(0o711)
    _directory(session.input, 0o755)
    # Sticky and not the user's: what is in it as `input` can be neither renamed nor replaced.
    _directory(session.files, 0o1777 if is_root() else 0o755)
    _directory(session.files / "input", 0o755)
    owner = session.user_id if is_root() else None
    for directory, mode in ((session.files / "output", 0o755), (session.files / "home", 0o700)):
        _directory(directory, mode, owner)
    _copy_font_cache(session, owner)
    session.lock_file.touch(mode=0o600)
    session.write_record(key, tmpfs=tmpfs)


_MOST_STACKED = 100
"""Mounts on top of each other that are taken away; an earlier version left some."""


def view_of(session: Session, skills: Sequence[SkillMount]) -> View:
    """Return what a session sees, with views of what its user cannot reach.

    Raises:
        Invalid: a skill's name is none, or its directory is not there.
        OSError: a view cannot be mounted.
    """
    places = python_view(Path(settings.SANDBOX_PYTHON_DIR))
    for skill in skills:
        if not is_good_name(skill.name) or not Path(skill.directory).is_dir():
            raise Invalid(_("The files of the skill %(name)r are missing.") % {"name": skill.name})
        places.append((Path(skill.directory), f"/skills/{skill.name}"))
    read_only = [(_reachable(session, source), place) for source, place in places]
    return View(files=session.files, input=session.input, read_only=read_only)


def clear(session: Session) -> None:
    """End and remove everything of a session; without error when there is nothing."""
    groups = groups_of(session.id.partition("-")[0])
    if groups is not None:
        groups.kill()
    for place in (*_views(session), session.disk):
        for _again in range(_MOST_STACKED):
            if not is_mounted(place):
                break
            unmount(place)
    shutil.rmtree(session.directory, ignore_errors=True)
    if groups is not None:
        groups.remove()


def _mounted_memory(session: Session, limits: SandboxLimits) -> bool:
    try:
        mount_memory(session.disk, size_bytes=limits.workspace_bytes, files=limits.workspace_files)
    except OSError:
        return False  # a container may take this right from its root
    return True


def _directory(path: Path, mode: int, owner: int | None = None) -> None:
    path.mkdir()
    path.chmod(mode)
    if owner is not None:
        os.chown(path, owner, owner)


def _copy_font_cache(session: Session, owner: int | None) -> None:
    source = Path(settings.SANDBOX_PYTHON_DIR) / FONT_CACHE
    if not source.is_dir():
        return
    target = session.files / "home" / "matplotlib"
    shutil.copytree(source, target)
    if owner is not None:
        for path in (target, *target.iterdir()):
            os.chown(path, owner, owner)


def _reachable(session: Session, source: Path) -> Path:
    """Return a place of `source` that the session's user may go to."""
    if not is_root() or is_reachable(source):
        return source
    name = hashlib.sha256(os.fsencode(source)).hexdigest()[:16]
    place = session.mounts / name
    if not is_mounted(place):
        mount_view(source, place)
    return place


def _views(session: Session) -> list[Path]:
    try:
        return list(session.mounts.iterdir())
    except OSError:
        return []
