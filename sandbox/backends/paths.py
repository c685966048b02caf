"""Paths inside of a workspace, as callers write them and as they are safe to use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from django.utils.translation import gettext as _

from core.errors import Invalid
from sandbox.contract import WORKSPACE

MAX_PATH_BYTES = 1024
MAX_NAME_BYTES = 255
HOME = f"{WORKSPACE}/home"


@dataclass(frozen=True, kw_only=True)
class InnerPath:
    """A place below `/workspace`."""

    parts: tuple[str, ...]
    """Names below the workspace; empty for the workspace itself."""

    @property
    def is_input(self) -> bool:
        """Whether it is the directory of inputs or below it."""
        return self.parts[:1] == ("input",)

    def __str__(self) -> str:
        return "/".join((WORKSPACE, *self.parts))


def inner_path(path: str) -> InnerPath:
    """Return a path below `/workspace`; what is relative counts from there.

    Raises:
        Invalid: it leads elsewhere, or has names that no file should have.
    """
    parts = PurePosixPath(path).parts
    if parts[:1] == ("/",):
        if parts[:2] != ("/", "workspace"):
            raise _invalid(path)
        parts = parts[2:]
    if not all(is_good_name(part) for part in parts):
        raise _invalid(path)
    if len("/".join(parts).encode()) > MAX_PATH_BYTES:
        raise _invalid(path[:200])
    return InnerPath(parts=parts)


def is_good_name(name: str) -> bool:
    """Whether a file may be handed out under this name: it is text without control characters."""
    if name in {"", ".", ".."} or "/" in name or not name.isprintable():
        return False
    try:
        return len(name.encode()) <= MAX_NAME_BYTES
    except UnicodeEncodeError:
        return False


def shown(name: str) -> str:
    """Return a name as it may be shown, whatever bytes it is made of."""
    return name.encode("utf-8", "backslashreplace").decode() if is_good_name(name) else repr(name)


def _invalid(path: str) -> Invalid:
    return Invalid(
        _("%(path)r is not a path in the sandbox; name one below /workspace.") % {"path": path}
    )
