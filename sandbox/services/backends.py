"""Which backend a sandbox stands for, and what its last probe said."""

from __future__ import annotations

import hashlib
import json
import threading
import time

from sandbox.backends.registry import backend_named, default_backend
from sandbox.contract import Probe, SandboxBackend
from sandbox.models import SandboxConfig, SandboxSession

PROBE_SECONDS = 60.0
"""How long a probe's answer holds for runs of this process."""
_probes: dict[str, tuple[float, Probe]] = {}
_defaults: dict[str, tuple[float, SandboxBackend]] = {}
_probing = threading.Lock()


def backend_of(config: SandboxConfig | None) -> SandboxBackend:
    """Return the backend of a sandbox; of the installation without one. Its secrets go with it.

    Raises:
        SandboxDisabled: there is none, with the reason.
    """
    if config is None:
        return _default()
    settings = {**config.settings}
    if config.api_key:
        settings["api_key"] = config.api_key
    return backend_named(config.backend, settings)


def backend_of_row(row: SandboxSession) -> SandboxBackend:
    """Return the backend that a workspace was made in."""
    if row.config is None:
        return backend_named(row.backend, {})
    return backend_of(row.config)


def _default() -> SandboxBackend:
    """Return the installation's backend; which one works is looked at once a minute."""
    with _probing:
        known = _defaults.get("")
        if known is not None and time.monotonic() - known[0] < PROBE_SECONDS:
            return known[1]
        found = default_backend()
        _defaults[""] = (time.monotonic(), found)
        return found


def probe(config: SandboxConfig | None, *, fresh: bool = False) -> Probe:
    """Return whether the sandbox works here; a minute old at most, new with `fresh`."""
    key = fingerprint_of(config)
    known = _probes.get(key)
    if not fresh and known is not None and time.monotonic() - known[0] < PROBE_SECONDS:
        return known[1]
    if fresh:
        _defaults.clear()
    found = backend_of(config).probe()
    _probes[key] = (time.monotonic(), found)
    return found


def forget_probes() -> None:
    """Ask every backend anew the next time."""
    _probes.clear()
    _defaults.clear()


def fingerprint_of(config: SandboxConfig | None) -> str:
    """Return what tells two differently set up backends apart; no secret can be read from it."""
    if config is None:
        return ""
    values = [config.backend, config.settings, config.api_key]
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
