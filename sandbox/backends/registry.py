"""The backends by name. Which one is used is an administrator's choice, never a model's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from core.errors import Invalid
from sandbox.backends.disabled import DisabledBackend
from sandbox.contract import SandboxBackend

NAMES = ("disabled", "bubblewrap", "docker", "e2b")


def backend_named(name: str, settings: Mapping[str, Any]) -> SandboxBackend:
    """Return a backend with its settings; nothing is started or asked yet.

    Raises:
        Invalid: there is no backend of that name, or its settings cannot be used.
    """
    match name:
        case "disabled":
            return DisabledBackend()
        case "bubblewrap":
            from sandbox.backends.bubblewrap import BubblewrapBackend

            return BubblewrapBackend.from_settings(settings)
        case "docker":
            from sandbox.backends.docker import DockerBackend

            return DockerBackend.from_settings(settings)
        case "e2b":
            from sandbox.backends.e2b import E2BBackend

            return E2BBackend.from_settings(settings)
        case _:
            raise Invalid(
                _("There is no sandbox %(name)r; there are: %(names)s.")
                % {"name": name, "names": ", ".join(NAMES)}
            )


def default_backend() -> SandboxBackend:
    """Return what is used without configuration: bubblewrap when it works here, else disabled.

    The disabled one says why bubblewrap does not work. There is no other fallback.
    """
    bubblewrap = backend_named("bubblewrap", {})
    probe = bubblewrap.probe()
    if probe.works:
        return bubblewrap
    return DisabledBackend(reason=probe.detail)
