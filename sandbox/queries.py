"""Reads of sandboxes and their workspaces, without secrets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import NotFound
from sandbox.contract import SandboxLimits
from sandbox.models import SandboxConfig, SandboxSession

DEFAULT = "default"
"""In an agent's configuration: the space's default sandbox, else the installation's."""

REMOVED_ROWS = 20


@dataclass(frozen=True, kw_only=True)
class ConfigCard:
    """A sandbox as pages show it. Secrets are only said to be there."""

    id: UUID
    name: str
    backend: str
    settings: Mapping[str, Any]
    limits: SandboxLimits
    variable_names: tuple[str, ...]
    has_api_key: bool
    idle_minutes: int
    is_default: bool


@dataclass(frozen=True, kw_only=True)
class SessionCard:
    """A workspace that lives, for the inventory."""

    id: UUID
    config_name: str
    """Empty: the installation's default."""
    backend: str
    user_id: int | None
    started_at: datetime
    last_used_at: datetime
    expires_at: datetime
    is_busy: bool
    is_ending: bool


def list_configs(actor: Actor) -> list[ConfigCard]:
    """Return the space's sandboxes by name."""
    rows = SandboxConfig.objects.filter(archived_at=None)
    return [card_of(row) for row in visible(actor, "view", rows)]


def list_removed_configs(actor: Actor) -> list[SandboxConfig]:
    """Return sandboxes that were taken away, the last first, for those who may bring them back."""
    rows = SandboxConfig.objects.filter(archived_at__isnull=False).order_by("-archived_at")
    return list(visible(actor, "change", rows)[:REMOVED_ROWS])


def get_config(actor: Actor, config_id: UUID) -> SandboxConfig:
    """Return one row.

    Raises:
        NotFound: there is none with that id in the space.
    """
    rows = SandboxConfig.objects.filter(pk=config_id, archived_at=None)
    row = visible(actor, "view", rows).first()
    if row is None:
        raise NotFound(_("There is no such sandbox."))
    return row


def card_of(row: SandboxConfig) -> ConfigCard:
    """Return what may be shown of a row."""
    return ConfigCard(
        id=row.pk,
        name=row.name,
        backend=row.backend,
        settings=row.settings,
        limits=limits_of(row),
        variable_names=tuple(sorted(environment_of(row))),
        has_api_key=bool(row.api_key),
        idle_minutes=row.idle_minutes,
        is_default=row.is_default,
    )


def default_config() -> SandboxConfig | None:
    """Return the current space's default sandbox; None: the installation's holds."""
    return SandboxConfig.objects.filter(is_default=True, archived_at=None).first()


def config_for(reference: str) -> SandboxConfig | None:
    """Return the sandbox an agent's configuration names; None: the installation's default.

    Raises:
        NotFound: the named one is gone; another must be chosen.
    """
    if reference in ("", DEFAULT):
        return default_config()
    try:
        key = UUID(reference)
    except ValueError:
        key = None
    row = SandboxConfig.objects.filter(pk=key, archived_at=None).first() if key else None
    if row is None:
        raise NotFound(_("The sandbox of this agent was removed; choose another one for it."))
    return row


def limits_of(row: SandboxConfig | None) -> SandboxLimits:
    """Return the limits of a sandbox; unknown names of older rows are passed over."""
    known = {each.name for each in fields(SandboxLimits)}
    stored = row.limits if row is not None else {}
    return SandboxLimits(**{name: value for name, value in stored.items() if name in known})


def environment_of(row: SandboxConfig | None) -> dict[str, str]:
    """Return the variables of every command, with their values: for commands, never for people."""
    if row is None or not row.environment:
        return {}
    return {str(name): str(value) for name, value in json.loads(row.environment).items()}


def list_sessions(actor: Actor, *, now: datetime) -> list[SessionCard]:
    """Return the space's workspaces, the one used last first."""
    rows = visible(actor, "view", SandboxSession.objects.select_related("config"))
    return [
        SessionCard(
            id=row.pk,
            config_name=row.config.name if row.config else "",
            backend=row.get_backend_display(),
            user_id=row.user_id,
            started_at=row.started_at,
            last_used_at=row.last_used_at,
            expires_at=row.expires_at,
            is_busy=row.busy_until is not None and row.busy_until > now,
            is_ending=row.state != "live",
        )
        for row in rows
    ]
