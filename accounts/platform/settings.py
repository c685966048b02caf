"""System settings: listed with value and source, changed, reset; only by the installation's people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import SystemSetting, User
from accounts.platform.administrators import require_administrator
from accounts.platform.settings_catalogue import BY_KEY, DEFINITIONS, Definition
from accounts.platform.settings_kinds import clean, shown
from accounts.platform.settings_live import Held, environment_value, forget, held
from accounts.services.platform_audit import record_platform_audit
from core.errors import NotFound


@dataclass(frozen=True, kw_only=True)
class SettingRow:
    """One setting as its page shows it."""

    definition: Definition
    held: Held
    shown: str
    """The value that holds, for people."""
    shown_default: str
    shown_environment: str
    shown_stored: str
    """What the database says; empty when it says nothing."""
    changed_by: User | None
    changed_at: datetime | None


def list_settings(user: User) -> list[SettingRow]:
    """Return every setting, in the order of the catalogue.

    Raises:
        AccessDenied: the person does not administer the installation.
    """
    require_administrator(user)
    forget()  # what the page shows is what the database says now
    rows = {each.key: each for each in SystemSetting.objects.select_related("updated_by")}
    return [_row(definition, rows.get(definition.key)) for definition in DEFINITIONS]


def get_setting(user: User, *, key: str) -> SettingRow:
    """Return one setting.

    Raises:
        AccessDenied: as `list_settings`.
        NotFound: there is none of this key.
    """
    definition = _definition(key)
    return next(row for row in list_settings(user) if row.definition == definition)


def change_setting(user: User, *, key: str, value: Any, ip_address: str | None = None) -> Held:
    """Keep a value in the database, which beats the environment; return what holds then.

    It holds in this process at once, in others within seconds; `restart_needed` says where it waits.

    Raises:
        AccessDenied, NotFound: as `get_setting`.
        Invalid: the value cannot be used.
    """
    require_administrator(user)
    definition = _definition(key)
    wanted = clean(definition.kind, value)
    with transaction.atomic():
        forget()
        before = held(definition)
        SystemSetting.objects.update_or_create(
            key=key, defaults={"value": wanted, "updated_by": user}
        )
        record_platform_audit(
            user,
            "setting.change",
            target_name=key,
            ip_address=ip_address,
            before=before.value,
            after=wanted,
        )
        transaction.on_commit(forget)
    forget()
    return held(definition)


def reset_setting(user: User, *, key: str, ip_address: str | None = None) -> Held:
    """Take a value out of the database, so that environment or default hold again.

    Raises:
        AccessDenied, NotFound: as `get_setting`.
    """
    require_administrator(user)
    definition = _definition(key)
    with transaction.atomic():
        row = SystemSetting.objects.select_for_update().filter(key=key).first()
        if row is not None:
            before = row.value
            row.delete()
            record_platform_audit(
                user,
                "setting.reset",
                target_name=key,
                ip_address=ip_address,
                before=before,
                after=environment_value(definition),
            )
        transaction.on_commit(forget)
    forget()
    return held(definition)


def _definition(key: str) -> Definition:
    try:
        return BY_KEY[key]
    except KeyError:
        raise NotFound(f"There is no setting {key!r}.") from None


def _row(definition: Definition, stored: SystemSetting | None) -> SettingRow:
    now = held(definition)
    return SettingRow(
        definition=definition,
        held=now,
        shown=shown(definition.kind, now.value),
        shown_default=shown(definition.kind, definition.default),
        shown_environment=shown(definition.kind, environment_value(definition)),
        shown_stored=shown(definition.kind, now.stored) if now.stored is not None else "",
        changed_by=stored.updated_by if stored else None,
        changed_at=stored.updated_at if stored else None,
    )
