"""Which value of a system setting holds now: the database's, else the environment's, else the default.

A process reads the table at most every `FRESH_SECONDS`; the one that changes a value reads it anew
at once. Code in an event loop never waits for the database: it gets what was read last, while a
thread reads again. When the table cannot be read, what was read last holds on.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection, transaction

from accounts.models import SystemSetting
from accounts.platform.settings_catalogue import BY_NAME, Definition
from accounts.platform.settings_kinds import Choice, Words, clean, used
from core.errors import Invalid

logger = logging.getLogger(__name__)
FRESH_SECONDS = 5.0
Origin = Literal["database", "environment", "default"]


@dataclass(frozen=True, kw_only=True)
class Held:
    """What holds of a setting, and why."""

    value: Any
    """The JSON value."""
    origin: Origin
    stored: Any = None
    """What the database says; differs from `value` where the environment limits it."""
    is_limited: bool = False
    """Whether the environment keeps the database's value from holding."""


class _Snapshot:
    """The changed values, as read last."""

    def __init__(self) -> None:
        self._values: Mapping[str, Any] = {}
        self._read_at: float | None = None
        self._is_pinned = False
        self._is_read_aside = False
        self._reading = threading.Lock()

    def values(self) -> Mapping[str, Any]:
        if self._is_pinned or self._is_fresh():
            return self._values
        if not _in_event_loop():
            self._read()
        elif not self._is_read_aside:
            self._is_read_aside = True
            threading.Thread(target=self._read_aside, name="settings", daemon=True).start()
        return self._values

    def forget(self) -> None:
        self._read_at = None

    def pin(self, values: Mapping[str, Any] | None) -> None:
        self._is_pinned = values is not None
        self._values, self._read_at = dict(values or {}), None

    def _is_fresh(self) -> bool:
        return self._read_at is not None and time.monotonic() - self._read_at < FRESH_SECONDS

    def _read(self) -> None:
        if not self._reading.acquire(blocking=self._read_at is None):
            return  # another thread does it; what was read last will do
        try:
            if not self._is_fresh():
                with transaction.atomic():  # a failure must not spoil the caller's transaction
                    self._values = dict(SystemSetting.objects.values_list("key", "value"))
                self._read_at = time.monotonic()
        except DatabaseError:
            logger.warning("System settings cannot be read; what was read last holds.")
            self._read_at = time.monotonic()
        finally:
            self._reading.release()

    def _read_aside(self) -> None:
        try:
            self._read()
        finally:
            self._is_read_aside = False
            connection.close()


_snapshot = _Snapshot()


def held(definition: Definition) -> Held:
    """Return what holds of a setting, and where it comes from."""
    below = Held(
        value=environment_value(definition),
        origin="environment" if is_in_environment(definition) else "default",
    )
    changed = _snapshot.values()
    if definition.key not in changed:
        return below
    try:
        stored = clean(definition.kind, changed[definition.key])
    except Invalid as problem:  # kept by another version of the product
        logger.warning("The stored %s cannot be used: %s", definition.key, problem.message)
        return below
    if _is_wider(definition, stored, below):
        return Held(value=below.value, origin="environment", stored=stored, is_limited=True)
    return Held(value=stored, origin="database", stored=stored)


def value_of(name: str) -> Any:
    """Return what the code works with; `core.live.live` asks here."""
    definition = BY_NAME.get(name)
    if not apps.ready:  # a process is loaded and then forked: it may open no connection yet
        return getattr(settings, name)
    if definition is None or definition.key not in _snapshot.values():
        return getattr(settings, name)
    found = held(definition)
    return used(definition.kind, found.value) if found.stored is not None else _own(definition)


def environment_value(definition: Definition) -> Any:
    """Return the JSON value that environment or default give."""
    if isinstance(definition.kind, Words):
        text = os.environ.get(definition.variable, "")
        return [word.strip() for word in text.split(",") if word.strip()]
    return _own(definition)


def is_in_environment(definition: Definition) -> bool:
    """Say whether the environment sets it; a blank value counts as unset."""
    return bool(os.environ.get(definition.variable, "").strip())


def forget() -> None:
    """Read the table anew when it is asked for next."""
    _snapshot.forget()


def pin(values: Mapping[str, Any] | None) -> None:
    """Hold these values by key and never ask the database: for tests; None ends it."""
    _snapshot.pin(values)


def _own(definition: Definition) -> Any:
    return getattr(settings, definition.name)


def _is_wider(definition: Definition, stored: Any, below: Held) -> bool:
    """Say whether the database would open what the environment closed."""
    if not definition.only_narrower or below.origin != "environment":
        return False
    assert isinstance(definition.kind, Choice)
    order = [word for word, _label in definition.kind.options]
    return order.index(stored) < order.index(below.value)


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
