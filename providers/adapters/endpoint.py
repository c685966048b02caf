"""Where a model is served and how it wants to be spoken to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

import httpx

AsyncClientFactory = Callable[[float], AbstractAsyncContextManager[httpx.AsyncClient]]
"""Gives a client, with a time-out in seconds, for the time of one call."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One model behind one address. Secrets are left out of its representation."""

    base_url: str
    model_id: str
    api_key: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    azure_api_version: str = ""
    """Set for Azure, where `model_id` is the deployment's name; otherwise blank."""
    timeout_seconds: float = 120.0

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every text that must not appear in a message or a log."""
        return tuple(text for text in (self.api_key, *self.headers.values()) if len(text) >= 4)
