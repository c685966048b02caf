"""Typed readers of environment variables; a value that cannot be used names its variable."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_POSTGRES_SCHEMES = ("postgres", "postgresql")
_REDIS_SCHEMES = ("redis", "rediss", "valkey", "valkeys")


def text(name: str, default: str = "") -> str:
    """Return the variable without surrounding blanks; the default when it is unset or empty."""
    return os.environ.get(name, "").strip() or default


def boolean(name: str, *, default: bool) -> bool:
    """Return a switch: 1, true, yes, on or 0, false, no, off.

    Raises:
        ImproperlyConfigured: it is something else.
    """
    value = text(name).lower()
    if not value:
        return default
    if value in _TRUE or value in _FALSE:
        return value in _TRUE
    raise _unusable(name, value, "one of true, false, yes, no, on, off, 1, 0")


def integer(name: str, default: int, *, at_least: int = 0, at_most: int | None = None) -> int:
    """Return a whole number within the bounds.

    Raises:
        ImproperlyConfigured: it is no whole number or out of bounds.
    """
    value = text(name)
    if not value:
        return default
    wanted = f"a whole number from {at_least}" + (f" to {at_most}" if at_most is not None else "")
    try:
        number = int(value)
    except ValueError:
        raise _unusable(name, value, wanted) from None
    if number < at_least or (at_most is not None and number > at_most):
        raise _unusable(name, value, wanted)
    return number


def decimal(name: str, default: float, *, at_least: float = 0.0) -> float:
    """Return a number, `at_least` or more.

    Raises:
        ImproperlyConfigured: it is no number or too small.
    """
    value = text(name)
    if not value:
        return default
    wanted = f"a number of at least {at_least:g}"
    try:
        number = float(value)
    except ValueError:
        raise _unusable(name, value, wanted) from None
    # The second half refuses nan, which compares as false with everything.
    if not number >= at_least or number == float("inf"):
        raise _unusable(name, value, wanted)
    return number


def words(name: str, default: Sequence[str] = ()) -> list[str]:
    """Return a list that is written with commas; empty parts are dropped."""
    value = text(name)
    return [part.strip() for part in value.split(",") if part.strip()] if value else list(default)


def choice(name: str, default: str, *, choices: Sequence[str]) -> str:
    """Return one of the choices.

    Raises:
        ImproperlyConfigured: it is none of them.
    """
    value = text(name, default).lower()
    if value not in choices:
        raise _unusable(name, value, "one of " + ", ".join(choices))
    return value


def path(name: str, default: Path) -> Path:
    """Return an absolute path; `~` is the home directory."""
    value = text(name)
    return Path(value).expanduser().resolve() if value else default


def url_path(name: str) -> str:
    """Return a path of addresses without a slash at its end, such as `/weknora`; "" for the root.

    Raises:
        ImproperlyConfigured: it does not begin with a slash or has other than plain characters.
    """
    value = text(name).rstrip("/")
    if value and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", value):
        raise _unusable(name, value, "a path such as /weknora")
    return value


def secret(name: str, default: str = "") -> str:
    """Return a secret from the variable, or from the file that `<name>_FILE` names.

    Raises:
        ImproperlyConfigured: both are set, or the file cannot be read or is empty.
    """
    value, file_name = text(name), text(f"{name}_FILE")
    if value and file_name:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: keep one of them")
    if not file_name:
        return value or default
    try:
        value = Path(file_name).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}_FILE={file_name!r} cannot be read: {error}") from None
    if not value:
        raise ImproperlyConfigured(f"{name}_FILE={file_name!r} is empty")
    return value


def redis_url(name: str, default: str) -> str:
    """Return the address of a Redis or Valkey server.

    Raises:
        ImproperlyConfigured: it is no redis:// or rediss:// address.
    """
    value = secret(name, default)
    parts = urlsplit(value)
    if parts.scheme not in _REDIS_SCHEMES or not parts.hostname:
        raise _hidden(name, "redis://[:password@]host:port/number")
    return value.replace("valkey", "redis", 1) if parts.scheme.startswith("valkey") else value


def database(name: str, default: str) -> dict[str, Any]:
    """Return Django's description of a PostgreSQL database from its address.

    Raises:
        ImproperlyConfigured: it is no postgresql:// address with a database name.
    """
    wanted = "postgresql://user:password@host:port/name"
    try:
        parts = urlsplit(secret(name, default))
        port = parts.port
    except ValueError:
        raise _hidden(name, wanted) from None
    name_of_database = unquote(parts.path.lstrip("/"))
    if parts.scheme not in _POSTGRES_SCHEMES or not name_of_database:
        raise _hidden(name, wanted)
    options = dict(
        pair.split("=", 1) for pair in parts.query.split("&") if "=" in pair
    )  # sslmode=require and the like go to libpq
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name_of_database,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(port or ""),
        "OPTIONS": {key: unquote(value) for key, value in options.items()},
    }


def _unusable(name: str, value: str, wanted: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name}={value!r} cannot be used: give {wanted}")


def _hidden(name: str, wanted: str) -> ImproperlyConfigured:
    """Addresses hold passwords: the message leaves the value out."""
    return ImproperlyConfigured(f"{name} cannot be used: give {wanted}")
