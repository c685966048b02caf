"""The keys of encrypted columns: from the environment, or from the file of the installation.

The file may change while servers and workers run (`manage.py rotate_keys`): each of them looks at it
again when its stamp changes, so that nobody has to be restarted and nobody goes on encrypting with a
key that is about to be dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cryptography.fernet import Fernet
from django.conf import settings

from core.embedded.files import locked, read_json, write_json

_NAME = "field_encryption_key"


@dataclass(frozen=True, kw_only=True)
class _Remembered:
    path: Path
    stamp: tuple[int, int, int]
    keys: tuple[str, ...]


_remembered: _Remembered | None = None


def current_keys() -> tuple[str, ...]:
    """Return the keys: the first encrypts, all decrypt."""
    global _remembered
    path = keys_file()
    if path is None:
        return tuple(settings.FIELD_ENCRYPTION_KEYS)
    try:
        found = path.stat()
    except FileNotFoundError:
        return tuple(settings.FIELD_ENCRYPTION_KEYS)
    stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
    known = _remembered
    if known is None or known.path != path or known.stamp != stamp:
        keys = _keys_in(path) or tuple(settings.FIELD_ENCRYPTION_KEYS)
        known = _remembered = _Remembered(path=path, stamp=stamp, keys=keys)
    return known.keys


def keys_file() -> Path | None:
    """Return the file that holds the keys; None when they come from the environment."""
    return settings.FIELD_KEYS_FILE


def add_key() -> tuple[str, ...]:
    """Put a new key in front of the only one in the file; return all.

    With several keys a rotation was begun before and goes on: nothing is added.

    Raises:
        LookupError: the keys are not in a file of ours, or there is none in it.
    """
    path = keys_file()
    if path is None or not path.exists():
        raise LookupError("the keys come from the environment")
    with locked(path.with_name(f".{path.name}.lock")):
        keys = _keys_in(path)
        if not keys:
            raise LookupError(f"{path} holds no key")
        if len(keys) == 1:
            keys = (Fernet.generate_key().decode("ascii"), *keys)
            _write(path, keys)
    return keys


def drop_old_keys() -> int:
    """Leave only the first key in the file; return how many went."""
    path = keys_file()
    if path is None:
        return 0
    with locked(path.with_name(f".{path.name}.lock")):
        keys = _keys_in(path)
        _write(path, keys[:1])
    return len(keys) - 1


def _keys_in(path: Path) -> tuple[str, ...]:
    value = read_json(path).get(_NAME)
    return tuple(key.strip() for key in str(value or "").split(",") if key.strip())


def _write(path: Path, keys: tuple[str, ...]) -> None:
    write_json(path, {**read_json(path), _NAME: ",".join(keys)}, mode=0o600)
