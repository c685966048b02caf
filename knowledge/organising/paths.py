"""Paths of folders: names from the root down, joined by "/"; the root is blank."""

from __future__ import annotations

from django.db.models import Q
from django.utils.translation import gettext as _

from core.errors import Invalid
from knowledge.names import clean_file_name

LONGEST_PATH = 1000


def clean_folder_path(path: str) -> str:
    """Return the path as documents keep theirs; blank for the root.

    Raises:
        Invalid: a character cannot be kept, or it is too long.
    """
    if not path.strip("/ "):
        return ""
    return clean_file_name("x", folder_path=path).folder_path


def require_name(path: str) -> str:
    """Return the cleaned path of a folder that is not the root.

    Raises:
        Invalid: no name is left.
    """
    cleaned = clean_folder_path(path)
    if not cleaned:
        raise Invalid(_("A folder needs a name."))
    return cleaned


def is_within(path: str, folder: str) -> bool:
    """Whether `path` is the folder or below it."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def moved(path: str, *, old: str, new: str) -> str:
    """Return where `path`, which is within `old`, lies when `old` is called `new`.

    Raises:
        Invalid: the new path would be too long.
    """
    rest = path[len(old) :].lstrip("/")
    found = "/".join(part for part in (new, rest) if part)
    if len(found) > LONGEST_PATH:
        raise Invalid(_("The folders would have over 1,000 characters; choose a shorter name."))
    return found


def within(field: str, folder: str) -> Q:
    """Return the condition that the path in `field` is the folder or below it."""
    if not folder:
        return Q()
    return Q(**{field: folder}) | Q(**{f"{field}__startswith": f"{folder}/"})
