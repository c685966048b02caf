"""Where the workspaces of bubblewrap lie on the host, and what belongs to one.

    <root>/sessions/<id>/session.json   key, time, limits
                         lock           held while a command runs
                         disk/          a file system of its own where root may mount one
                              files/    /workspace
                              input/    /workspace/input
                         mounts/<n>/    directories of ours that the session's user cannot reach

The id is a keyed hash, so nobody on the host can guess it, and an odd key makes no odd path.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from django.utils.crypto import salted_hmac
from pydantic import BaseModel, ValidationError

_FIRST_USER_ID = 0x70000000
_USER_IDS = 0x0FFD0000
"""Host users of sessions: a range that neither people, services nor subordinate ids use."""


class SessionRecord(BaseModel):
    """What stands in `session.json`."""

    key: str
    created_at: datetime
    tmpfs: bool
    """Its files are in a file system in memory, which ends with the machine."""


@dataclass(frozen=True)
class Session:
    """The directory of one workspace."""

    directory: Path

    @property
    def id(self) -> str:
        """Its name on the host."""
        return self.directory.name

    @property
    def user_id(self) -> int:
        """The host user of its commands where the host lets us choose."""
        return _FIRST_USER_ID + int(self.id[:8], 16) % _USER_IDS

    @property
    def record_file(self) -> Path:
        """What is known about it."""
        return self.directory / "session.json"

    @property
    def lock_file(self) -> Path:
        """Held by who runs a command in it."""
        return self.directory / "lock"

    @property
    def disk(self) -> Path:
        """Its file system."""
        return self.directory / "disk"

    @property
    def files(self) -> Path:
        """What is `/workspace` inside."""
        return self.disk / "files"

    @property
    def input(self) -> Path:
        """What is `/workspace/input` inside."""
        return self.disk / "input"

    @property
    def mounts(self) -> Path:
        """Places for read-only mounts of ours."""
        return self.directory / "mounts"

    def record(self) -> SessionRecord | None:
        """Return what is known about it; None when it is gone or was never finished."""
        try:
            return SessionRecord.model_validate_json(self.record_file.read_bytes())
        except (OSError, ValidationError):
            return None

    def write_record(self, key: str, *, tmpfs: bool) -> None:
        """Write it in one step; from then on the session is listed."""
        record = SessionRecord(key=key, created_at=timezone.now(), tmpfs=tmpfs)
        new = self.directory / "session.json.new"
        new.write_text(record.model_dump_json(), encoding="utf-8")
        new.replace(self.record_file)


@dataclass(frozen=True)
class Places:
    """The directory with all workspaces of this deployment."""

    root: Path

    def session(self, key: str) -> Session:
        """Return where the workspace of a key is, whether or not it exists."""
        name = salted_hmac("sandbox.bubblewrap", key, algorithm="sha256").hexdigest()[:32]
        return Session(self.root / "sessions" / name)

    def sessions(self) -> Iterator[Session]:
        """Give those that exist."""
        try:
            names = sorted(entry.name for entry in (self.root / "sessions").iterdir())
        except FileNotFoundError:
            return
        for name in names:
            yield Session(self.root / "sessions" / name)

    def leftovers(self) -> Iterator[Session]:
        """Give what was moved away to be removed."""
        try:
            entries = sorted((self.root / "removed").iterdir())
        except FileNotFoundError:
            return
        for entry in entries:
            yield Session(entry)

    def move_away(self, session: Session) -> Session | None:
        """Take a session from the list in one step; None when it is gone already."""
        target = self.root / "removed" / f"{session.id}-{secrets.token_hex(4)}"
        target.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
        try:
            session.directory.rename(target)
        except FileNotFoundError:
            return None
        return Session(target)


def default_places() -> Places:
    """Return the directory of the settings.

    For root, whose commands run as users of their own: where these cannot reach it (a checkout in
    root's home), a directory that they can.
    """
    root = Path(settings.SANDBOX_DIR)
    if os.geteuid() == 0 and not is_reachable(root):
        name = salted_hmac("sandbox.root", str(root), algorithm="sha256").hexdigest()[:16]
        root = Path("/var/lib/weknora-sandbox") / name
    return Places(root)


def is_reachable(path: Path) -> bool:
    """Whether every user may go through the directories above `path`."""
    for directory in path.resolve().parents:
        try:
            mode = directory.stat().st_mode
        except FileNotFoundError:
            continue  # made by us then
        except PermissionError:
            return False
        if not mode & stat.S_IXOTH:
            return False
    return True
