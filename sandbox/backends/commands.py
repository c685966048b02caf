"""What callers may ask to run, the same for every backend."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from django.utils.translation import gettext as _

from core.errors import Invalid
from sandbox.backends.paths import inner_path


def checked_command(argv: Sequence[str]) -> list[str]:
    """Return a command's words.

    Raises:
        Invalid: there are none, or one has a NUL.
    """
    if not argv or not argv[0] or any("\0" in word for word in argv):
        raise Invalid(_("This is not a command."))
    return list(argv)


def checked_directory(cwd: str) -> str:
    """Return a directory in which a command may start: of the workspace or of a skill.

    Raises:
        Invalid: it is another.
    """
    parts = PurePosixPath(cwd).parts
    if parts[:2] == ("/", "skills") and ".." not in parts and "\0" not in cwd:
        return "/".join(("", *parts[1:]))
    return str(inner_path(cwd))
