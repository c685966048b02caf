"""One workspace of bubblewrap."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from django.utils.translation import gettext as _

from core.errors import Invalid, TooLarge
from sandbox.backends.bubblewrap import layout
from sandbox.backends.bubblewrap.cgroups import ControlGroups
from sandbox.backends.bubblewrap.command import View
from sandbox.backends.bubblewrap.files import Owner, read_file, write_file
from sandbox.backends.bubblewrap.launch import Order
from sandbox.backends.bubblewrap.listing import collect_output, list_directory
from sandbox.backends.bubblewrap.places import Session
from sandbox.backends.bubblewrap.running import Guard, run
from sandbox.backends.bubblewrap.watchers import (
    DiskWatcher,
    MemoryWatcher,
    Watch,
    Watcher,
    disk_usage,
)
from sandbox.backends.commands import checked_command, checked_directory
from sandbox.backends.environment import environment
from sandbox.backends.paths import inner_path
from sandbox.contract import (
    WORKSPACE,
    ArtifactLimits,
    CancelCheck,
    Collection,
    ExecResult,
    FileEntry,
    SandboxLimits,
)
from sandbox.errors import SandboxFailed, SandboxGone

_LOCK_STEP_SECONDS = 0.02


class BubblewrapWorkspace:
    """Runs each command in new name spaces over the same directory."""

    def __init__(
        self,
        key: str,
        session: Session,
        view: View,
        *,
        limits: SandboxLimits,
        groups: ControlGroups | None,
        quota: bool,
        lost: bool = False,
    ) -> None:
        """Use a directory that is laid out; `quota` says that its file system is limited itself.

        With `lost`, the first command tells that files of an earlier workspace are gone.
        """
        self.key = key
        self._session, self._view, self._limits = session, view, limits
        self._groups, self._quota, self._lost = groups, quota, lost

    def exec(
        self,
        argv: Sequence[str],
        *,
        timeout_seconds: float,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        cancelled: CancelCheck | None = None,
    ) -> ExecResult:
        """Run a command; see `sandbox.contract.Workspace`."""
        order = Order(
            argv=checked_command(argv),
            view=self._view,
            limits=self._limits,
            cwd=checked_directory(cwd),
            variables=environment(env),
            stdin=stdin,
            user_id=self._session.user_id if layout.is_root() else None,
            grouped=self._groups is not None,
        )
        with self._locked(timeout_seconds):
            guard = Guard(
                timeout_seconds=timeout_seconds,
                cancelled=cancelled,
                groups=self._groups,
                watch=Watch(self._watchers()),
                is_there=self._session.record_file.exists,
            )
            result = run(order, guard)
        return self._told_lost(result)

    def put(self, path: str, data: bytes, *, read_only: bool = False) -> None:
        """Write a file; see `sandbox.contract.Workspace`."""
        place = inner_path(path)
        if place.is_input is not read_only:
            raise Invalid(_("Below /workspace/input, and only there, files are read-only."))
        if not self._quota:
            used, files = disk_usage(self._session.disk)
            full = used + len(data) > self._limits.workspace_bytes
            if full or files >= self._limits.workspace_files:
                raise TooLarge(_("The sandbox has no room for %(path)s.") % {"path": place})
        owned = layout.is_root() and not read_only
        write_file(
            self._session,
            place,
            data,
            Owner(user_id=self._session.user_id if owned else None),
        )

    def get(self, path: str, *, max_bytes: int) -> bytes:
        """Return a regular file; see `sandbox.contract.Workspace`."""
        return read_file(self._session, inner_path(path), max_bytes=max_bytes)

    def list_files(self, path: str = WORKSPACE, *, limit: int = 500) -> list[FileEntry]:
        """Return what is below a directory, without the home directory unless it is asked for."""
        return list_directory(self._session, inner_path(path), limit=limit)

    def collect(self, limits: ArtifactLimits) -> Collection:
        """Return the regular files below `output`; see `sandbox.contract.Workspace`."""
        return collect_output(self._session, limits)

    def _watchers(self) -> list[Watcher]:
        watchers: list[Watcher] = []
        if self._groups is None:
            watchers.append(MemoryWatcher(self._limits))
        if not self._quota:
            watchers.append(DiskWatcher(self._session.disk, self._limits))
        return watchers

    @contextmanager
    def _locked(self, timeout_seconds: float) -> Iterator[None]:
        """Hold the session against other processes: its commands run one after the other.

        Raises:
            SandboxGone: it was destroyed.
            SandboxFailed: another command took longer than this one may wait.
        """
        try:
            lock = self._session.lock_file.open("rb")
        except FileNotFoundError as error:
            raise SandboxGone(_("The sandbox is not there any more.")) from error
        with lock:
            deadline = time.monotonic() + timeout_seconds
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError as error:
                    if time.monotonic() >= deadline:
                        message = _("Another command still runs in this sandbox.")
                        raise SandboxFailed(message) from error
                    time.sleep(_LOCK_STEP_SECONDS)
            if not layout.exists(self._session):
                raise SandboxGone(_("The sandbox is not there any more."))
            yield

    def _told_lost(self, result: ExecResult) -> ExecResult:
        if not self._lost:
            return result
        self._lost = False
        return ExecResult(**{**vars(result), "lost": True})
