"""What an administrator enters about a sandbox, and its checks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from core.errors import Invalid
from sandbox.backends.registry import backend_named
from sandbox.constants import Backend
from sandbox.contract import MIB

_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]{0,119}$")
_RESERVED = ("PATH", "HOME", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONSTARTUP")
MOST_VARIABLES, MOST_VALUE = 100, 32_000
BOUNDS: Mapping[str, tuple[float, float]] = {
    "memory_bytes": (32 * MIB, 65_536 * MIB),
    "cpus": (0.1, 64),
    "processes": (10, 4096),
    "workspace_bytes": (4 * MIB, 65_536 * MIB),
    "workspace_files": (64, 1_000_000),
    "file_bytes": (MIB, 16_384 * MIB),
}
"""The least and the most of each limit that can be entered."""


@dataclass(frozen=True, kw_only=True)
class ConfigValues:
    """Everything that can be entered about a sandbox."""

    name: str
    backend: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    api_key: str | None = None
    """None leaves the stored one as it is."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] | None = None
    """None leaves the stored ones as they are."""
    idle_minutes: int = 30
    is_default: bool = False


def check_config(values: ConfigValues) -> None:
    """Return when the values can be stored.

    Raises:
        Invalid: one cannot; `field` names it.
    """
    if not values.name.strip():
        raise Invalid(_("Give the sandbox a name."), field="name")
    if values.backend not in Backend.values:
        raise Invalid(_("There is no such kind of sandbox."), field="backend")
    if not 1 <= values.idle_minutes <= 24 * 60:
        raise Invalid(_("Enter 1 to 1440 minutes."), field="idle_minutes")
    for name, value in values.limits.items():
        least, most = BOUNDS[name]
        if not least <= value <= most:
            raise Invalid(_("That is outside of what can be set."), field=name)
    check_environment(values.environment or {})
    try:
        backend_named(values.backend, values.settings)
    except Invalid as refusal:
        raise Invalid(refusal.message, field="settings") from refusal


def check_environment(environment: Mapping[str, str]) -> None:
    """Return when these variables may be given to commands.

    Raises:
        Invalid: a name is not one, or is the platform's own.
    """
    if len(environment) > MOST_VARIABLES:
        raise Invalid(_("These are too many variables."), field="environment")
    for name, value in environment.items():
        if not _NAME.match(name):
            raise Invalid(
                _("%(name)r cannot be the name of a variable.") % {"name": name[:80]},
                field="environment",
            )
        if name.upper() in _RESERVED or name.upper().startswith("WEKNORA_"):
            raise Invalid(
                _("%(name)s is set by the platform itself.") % {"name": name}, field="environment"
            )
        if len(value) > MOST_VALUE or "\x00" in value:
            raise Invalid(
                _("The value of %(name)s cannot be used.") % {"name": name}, field="environment"
            )
