"""The secrets of one installation: made at the first start, kept in one file of mode 600."""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass, field, fields
from pathlib import Path

from core.embedded.files import locked, read_json, write_json


@dataclass(frozen=True, kw_only=True)
class InstallationSecrets:
    """Random values that nobody needs to know by heart; never printed, not even by `repr`."""

    django_secret_key: str = field(repr=False)
    field_encryption_key: str = field(repr=False)
    """A Fernet key; without it the encrypted columns cannot be read again."""
    local_model_key: str = field(repr=False)
    postgres_password: str = field(repr=False)
    """Of the role the product works with."""
    postgres_superuser_password: str = field(repr=False)
    valkey_password: str = field(repr=False)


def read_secrets(path: Path) -> InstallationSecrets | None:
    """Return the secrets of the file, None when it is missing or lacks one of them."""
    found = read_json(path)
    names = [one.name for one in fields(InstallationSecrets)]
    if any(not isinstance(found.get(name), str) for name in names):
        return None
    return InstallationSecrets(**{name: str(found[name]) for name in names})


def ensure_secrets(path: Path) -> InstallationSecrets:
    """Return the secrets of the file, making what is missing and keeping what is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f".{path.name}.lock")):
        found = read_secrets(path)
        if found is None:
            write_json(path, {**random_secrets(), **read_json(path)}, mode=0o600)
            found = read_secrets(path)
    if found is None:
        raise RuntimeError(f"{path} holds a value that is no text; correct or remove that line")
    return found


def throwaway_secrets() -> InstallationSecrets:
    """Return secrets that nobody keeps, for commands that run before the first start."""
    return InstallationSecrets(**{name: str(value) for name, value in random_secrets().items()})


def random_secrets() -> dict[str, object]:
    """Return a new value for each secret."""
    made: dict[str, object] = {
        one.name: secrets.token_urlsafe(40) for one in fields(InstallationSecrets)
    }
    key = base64.urlsafe_b64encode(secrets.token_bytes(32))
    return {**made, "field_encryption_key": key.decode("ascii")}
