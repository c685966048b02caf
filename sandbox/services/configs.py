"""Use cases of sandboxes: set up, change, make the default, archive."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from accounts.access import Action, Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Conflict, NotFound
from sandbox.models import SandboxConfig, SandboxSession
from sandbox.queries import environment_of, get_config
from sandbox.services.sessions import end_sessions_of
from sandbox.values import ConfigValues, check_config


def create_config(actor: Actor, *, values: ConfigValues) -> SandboxConfig:
    """Set up a sandbox in the actor's space.

    Raises:
        AccessDenied: only administrators may.
        Invalid: a value cannot be used; `field` names it.
        Conflict: there is one of that name.
    """
    require(actor, "create", SandboxConfig)
    check_config(values)
    row = SandboxConfig(space_id=actor.space_id)
    with transaction.atomic():
        _write(row, values)
        record_audit(actor, "sandbox.create", target=row, **_facts(row))
    return row


def update_config(actor: Actor, *, config_id: UUID, values: ConfigValues) -> SandboxConfig:
    """Change a sandbox. Secrets that are None stay as they are.

    What identifies its workspaces cannot change while some live: nobody could remove them later.

    Raises:
        NotFound, AccessDenied: the actor may not.
        Invalid: a value cannot be used.
        Conflict: the name is taken, or workspaces live in it.
    """
    check_config(values)
    with transaction.atomic():
        row = _locked(actor, "change", config_id)
        moves = (row.backend, row.settings) != (values.backend, dict(values.settings))
        if moves:
            _refuse_while_used(row)
        if moves and values.api_key is None and row.api_key:
            values = _without_key(values)
        old = _facts(row)
        _write(row, values)
        record_audit(actor, "sandbox.change", target=row, old=old, new=_facts(row))
    return row


def set_default_config(actor: Actor, *, config_id: UUID) -> SandboxConfig:
    """Make a sandbox the one of all agents that name none.

    Raises:
        NotFound, AccessDenied: the actor may not.
    """
    with transaction.atomic():
        row = _locked(actor, "change", config_id)
        _clear_default()
        row.is_default = True
        row.save(update_fields=["is_default", "updated_at"])
        record_audit(actor, "sandbox.default", target=row)
    return row


def archive_config(actor: Actor, *, config_id: UUID) -> int:
    """Take a sandbox away; its workspaces are removed. Returns how many there were.

    Raises:
        NotFound, AccessDenied: the actor may not.
    """
    with transaction.atomic():
        row = _locked(actor, "delete", config_id)
        row.archived_at, row.is_default = timezone.now(), False
        row.save(update_fields=["archived_at", "is_default", "updated_at"])
        ended = end_sessions_of(row)
        record_audit(actor, "sandbox.archive", target=row, workspaces=ended, **_facts(row))
    return ended


def restore_config(actor: Actor, *, config_id: UUID) -> SandboxConfig:
    """Bring a sandbox back that was taken away; one that is there stays as it is.

    Raises:
        NotFound, AccessDenied: the actor may not.
        Conflict: another one has its name meanwhile.
    """
    with transaction.atomic():
        rows = SandboxConfig.objects.select_for_update().filter(pk=config_id)
        row = visible(actor, "view", rows).first()
        if row is None:
            raise NotFound(_("There is no such sandbox."))
        require(actor, "change", row)
        if row.archived_at is None:
            return row
        _refuse_taken(row)
        row.archived_at = None
        row.save(update_fields=["archived_at", "updated_at"])
        record_audit(actor, "sandbox.restore", target=row)
    return row


def _locked(actor: Actor, action: Action, config_id: UUID) -> SandboxConfig:
    found = get_config(actor, config_id)
    require(actor, action, found)
    return SandboxConfig.objects.select_for_update().get(pk=found.pk)


def _write(row: SandboxConfig, values: ConfigValues) -> None:
    row.name = values.name.strip()
    row.backend = values.backend
    row.settings = dict(values.settings)
    row.limits = dict(values.limits)
    row.idle_minutes = values.idle_minutes
    if values.api_key is not None:
        row.api_key = values.api_key.strip()
    if values.environment is not None:
        row.environment = json.dumps(dict(values.environment)) if values.environment else ""
    _refuse_taken(row)
    if values.is_default:
        _clear_default()
    row.is_default = values.is_default
    row.save()


def _refuse_taken(row: SandboxConfig) -> None:
    same = SandboxConfig.objects.filter(name=row.name, archived_at=None).exclude(pk=row.pk)
    if same.exists():
        raise Conflict(
            _("There is a sandbox %(name)r; choose another name.") % {"name": row.name},
            field="name",
        )


def _refuse_while_used(row: SandboxConfig) -> None:
    alive = SandboxSession.objects.filter(config=row).count()
    if alive:
        raise Conflict(
            ngettext(
                "A workspace lives in it; stop it first to change the kind or its settings.",
                "%(n)s workspaces live in it; stop them first to change the kind or its settings.",
                alive,
            )
            % {"n": alive},
            field="settings",
        )


def _without_key(values: ConfigValues) -> ConfigValues:
    """A stored key never goes to an address it was not entered for."""
    return replace(values, api_key="")


def _clear_default() -> None:
    SandboxConfig.objects.filter(is_default=True).update(is_default=False)


def _facts(row: SandboxConfig) -> dict[str, Any]:
    """Return what the audit keeps: names of variables, no values, no key."""
    return {
        "backend": row.backend,
        "is_default": row.is_default,
        "limits": row.limits,
        "variables": sorted(environment_of(row)),
    }
