"""What a probe says about limits, in words for administrators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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


def enforcement_words(value: str) -> str:
    """Return how a limit holds."""
    match value:
        case "kernel":
            return _("held by the kernel")
        case "watched":
            return _("watched: ended soon after it is passed")
        case _:
            return _("not enforced")
