"""What the sandbox says, in words for people: limits of a probe, and why files are left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from django.template.defaultfilters import filesizeformat
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

LIMIT_WORDS: Final[Mapping[str, Promise]] = {
    "memory": gettext_lazy("Memory"),
    "cpu": gettext_lazy("Processor time"),
    "processes": gettext_lazy("Number of processes"),
    "disk": gettext_lazy("Size of the workspace"),
    "files": gettext_lazy("Number of files"),
    "network": gettext_lazy("No network"),
    "system_calls": gettext_lazy("Calls to the kernel"),
    "user": gettext_lazy("Own user"),
}

_LEFT_OUT: Final = (
    gettext_lazy("Its name is not text that can be shown."),
    gettext_lazy("Its path is too long."),
    gettext_lazy("It is more than %(n)s directories deep."),
    gettext_lazy("It is a link or no regular file."),
    gettext_lazy("There are more than %(n)s files."),
    gettext_lazy("It is larger than %(n)s."),
    gettext_lazy("All together are larger than %(n)s."),
    gettext_lazy("It changed while it was read."),
    gettext_lazy("It changed while it was read, or is too large."),
    gettext_lazy("The output directory is a link or no directory."),
    gettext_lazy("It is empty."),
)
"""The reasons of backends, with %(n)s for their number, so that they are translated when shown."""
_NUMBER = re.compile(r"([0-9]+)( bytes)?")


def left_out_words(reason: str) -> str:
    """Return the English reason for which a file was left out in the language of the reader."""
    number = _NUMBER.search(reason)
    if number is None:
        return _(reason) if reason else ""
    shown = filesizeformat(int(number[1])) if number[2] else number[1]
    return _(_NUMBER.sub("%(n)s", reason, count=1)) % {"n": shown}


def enforcement_words(value: str) -> str:
    """Return how a limit holds."""
    match value:
        case "kernel":
            return _("held by the kernel")
        case "watched":
            return _("watched: ended soon after it is passed")
        case _:
            return _("not enforced")
