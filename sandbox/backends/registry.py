"""The backends by name. Which one is used is an administrator's choice, never a model's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from core.errors import Invalid
from sandbox.backends.disabled import DisabledBackend
from sandbox.contract import SandboxBackend

_CLASSES = {
    "bubblewrap": "sandbox.backends.bubblewrap.backend.BubblewrapBackend",
    "docker": "sandbox.backends.docker.backend.DockerBackend",
    "e2b": "sandbox.backends.e2b.backend.E2BBackend",
}
NAMES = ("disabled", *_CLASSES)


class _Configurable(Protocol):
    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> SandboxBackend: ...


def backend_named(name: str, settings: Mapping[str, Any]) -> SandboxBackend:
    """Return a backend with its settings; nothing is started or asked yet.

    Raises:
        Invalid: there is no backend of that name, or its settings cannot be used.
    """
    if name not in NAMES:
        raise Invalid(
            _("There is no sandbox %(name)r; there are: %(names)s.")
            % {"name": name, "names": ", ".join(NAMES)}
        )
    if name == "disabled":
        return DisabledBackend()
    # Imported when named: one worker uses one of them, and their libraries are large.
    backend: type[_Configurable] = import_string(_CLASSES[name])
    return backend.from_settings(settings)


def default_backend() -> SandboxBackend:
    """Return what is used without configuration: bubblewrap when it works here, else disabled.

    The disabled one says why bubblewrap does not work. There is no other fallback.
    """
    bubblewrap = backend_named("bubblewrap", {})
    probe = bubblewrap.probe()
    if probe.works:
        return bubblewrap
    return DisabledBackend(reason=probe.detail)
