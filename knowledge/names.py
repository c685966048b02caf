"""Names of files and folders, made safe to show and to keep."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from django.utils.translation import gettext as _

from core.errors import Invalid
from core.names import without_hidden


@dataclass(frozen=True, kw_only=True)
class FileName:
    """A file's name and folder, both safe to show and to keep."""

    name: str
    folder_path: str


def clean_file_name(name: str, *, folder_path: str = "") -> FileName:
    r"""Return the name without its folders, and the folders without "..".

    Characters without width and those that turn the direction are taken out: "invoice<U+202E>fdp.exe"
    would be shown as a PDF.

    Raises:
        Invalid: nothing is left, or a character cannot be kept (NUL, control characters).
    """
    whole = f"{folder_path}/{name}".replace("\\", "/")
    if any(ord(character) < 32 or 0xD800 <= ord(character) <= 0xDFFF for character in whole):
        raise Invalid(
            _("The file name “%(name)s” has a character that cannot be kept; rename the file.")
            % {"name": name}
        )
    whole, own = without_hidden(whole), without_hidden(name).replace("\\", "/")
    parts = [part.strip() for part in PurePosixPath(whole).parts if part.strip(" /.")]
    if not parts or PurePosixPath(own).name.strip() in ("", ".", ".."):
        raise Invalid(_("“%(name)s” is not a file name; rename the file.") % {"name": name})
    folder = "/".join(parts[:-1])
    if len(folder) > 1000:
        raise Invalid(
            _("The folders above the file have over 1,000 characters; use fewer of them.")
        )
    return FileName(name=_shorten(parts[-1]), folder_path=folder)


def _shorten(name: str) -> str:
    """Cut a long name in its middle: the extension says what it is."""
    if len(name) <= 255:
        return name
    suffix = PurePosixPath(name).suffix[:20]
    return name[: 255 - len(suffix)] + suffix
