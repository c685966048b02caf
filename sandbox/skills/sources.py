"""Skills that lie on the server: the product's own, and those of the administrators' directory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from core.errors import NotFound, ProjectError
from sandbox.skill_constants import SkillSource
from sandbox.skills.bundle import Bundle, read_directory
from sandbox.skills.manifest import FILE_NAME, Manifest


@dataclass(frozen=True, kw_only=True)
class Offered:
    """A skill that can be installed from the server."""

    name: str
    """Of its directory; it is installed by this name."""
    source: SkillSource
    manifest: Manifest | None
    """None: it cannot be used, for the reason in `problem`."""
    content_hash: str = ""
    problem: str = ""


def offered_skills() -> list[Offered]:
    """Return what lies on the server, the product's own first, each by name."""
    own = [_offered(path, SkillSource.BUILTIN) for path in _directories(_builtin_root())]
    root = _own_root()
    others = [_offered(path, SkillSource.DIRECTORY) for path in _directories(root)] if root else []
    return own + others


def read_offered(source: SkillSource, name: str) -> Bundle:
    """Return the files of a skill that lies on the server; the name is one of `offered_skills`.

    Raises:
        NotFound: there is no such directory.
        Invalid, TooLarge, Refused: it cannot be used.
    """
    roots = {SkillSource.BUILTIN: _builtin_root(), SkillSource.DIRECTORY: _own_root()}
    root = roots.get(source)
    for path in _directories(root) if root else []:
        if path.name == name:
            return read_directory(path)
    raise NotFound(_("There is no such skill on the server."))


def _builtin_root() -> Path:
    return Path(settings.BUILTIN_SKILLS_DIR)


def _own_root() -> Path | None:
    return Path(settings.SKILLS_DIR) if settings.SKILLS_DIR else None


def _directories(root: Path) -> list[Path]:
    if not root.is_dir():
        return []
    return sorted(
        path
        for path in root.iterdir()
        if path.is_dir() and not path.is_symlink() and (path / FILE_NAME).is_file()
    )


def _offered(path: Path, source: SkillSource) -> Offered:
    try:
        manifest, content_hash = _read(path, _stamp_of(path))
    except ProjectError as problem:
        return Offered(name=path.name, source=source, manifest=None, problem=problem.message)
    return Offered(name=path.name, source=source, manifest=manifest, content_hash=content_hash)


def _stamp_of(path: Path) -> tuple[tuple[str, int, int], ...]:
    """Return what changes when a file of the directory does."""
    found = [(each, each.lstat()) for each in sorted(path.rglob("*"))]
    return tuple((str(each), stat.st_mtime_ns, stat.st_size) for each, stat in found)


@lru_cache(maxsize=64)
def _read(path: Path, _stamp: tuple[tuple[str, int, int], ...]) -> tuple[Manifest, str]:
    with read_directory(path) as bundle:
        return bundle.manifest, bundle.content_hash
