"""Which account runs the servers: PostgreSQL refuses root, and Valkey does not need it."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from core.embedded.errors import EmbeddedError

CANDIDATES = ("postgres", "daemon", "nobody")
"""`nobody` comes last: isolated parsers run as nobody, and must not reach a database's process."""


@dataclass(frozen=True)
class ServerAccount:
    """An account of the system, used when we are root."""

    name: str
    uid: int
    gid: int


def server_account(data: Path) -> ServerAccount | None:
    """Return the account for the servers, None when we are an ordinary user ourselves.

    Data that exist already are served by their owner.

    Raises:
        EmbeddedError: we are root and there is no other account, or the data are another user's.
    """
    owner = _owner(data)
    if os.geteuid() != 0:
        if owner is not None and owner.uid != os.geteuid():
            raise EmbeddedError(
                f"{data} belongs to user {owner.name}: start as that user or as root, "
                "or set WEKNORA_DATA_DIR to a directory of your own"
            )
        return None
    if owner is not None and owner.uid != 0:
        return owner
    for name in CANDIDATES:
        try:
            return _account(pwd.getpwnam(name))
        except KeyError:
            continue
    raise EmbeddedError(
        f"PostgreSQL does not run as root, and none of the accounts {', '.join(CANDIDATES)} "
        "exists: start as an ordinary user"
    )


def hand_over(path: Path, account: ServerAccount | None) -> None:
    """Make the directory the account's own."""
    if account is not None:
        os.chown(path, account.uid, account.gid)


def _account(entry: pwd.struct_passwd) -> ServerAccount:
    return ServerAccount(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid)


def _owner(data: Path) -> ServerAccount | None:
    if not data.exists():
        return None
    found = data.stat()
    try:
        name = pwd.getpwuid(found.st_uid).pw_name
    except KeyError:
        name = str(found.st_uid)
    return ServerAccount(name=name, uid=found.st_uid, gid=found.st_gid)
