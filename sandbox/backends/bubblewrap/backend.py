"""The backend that needs neither a daemon nor an image."""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from core.errors import Invalid, ProjectError
from core.seccomp import can_filter
from sandbox.backends.bubblewrap import layout
from sandbox.backends.bubblewrap.cgroups import ControlGroups, groups_of
from sandbox.backends.bubblewrap.launch import find_program
from sandbox.backends.bubblewrap.places import Places, Session, default_places
from sandbox.backends.bubblewrap.workspace import BubblewrapWorkspace
from sandbox.contract import (
    Enforcement,
    Probe,
    SandboxInfo,
    SandboxLimits,
    SkillMount,
    Workspace,
)
from sandbox.errors import SandboxFailed

_PROBE_SECONDS = 20.0
_ADVICE = (
    (
        "RTM_NEWADDR",
        "AppArmor keeps bubblewrap from making name spaces. Install an AppArmor profile for"
        " /usr/bin/bwrap with the line 'userns,' (docs/deployment.md), then test again.",
    ),
    (
        "ermission",
        "The kernel does not let this user make name spaces. In a container, use Docker for the"
        " sandbox; else run: sysctl kernel.unprivileged_userns_clone=1",
    ),
)


class BubblewrapBackend:
    """Runs commands in name spaces over directories of this host."""

    name = "bubblewrap"

    def __init__(self, places: Places | None = None, *, in_memory: bool = True) -> None:
        """Keep workspaces in `places`; with `in_memory` root gives each a small file system."""
        self._places = places or default_places()
        self._in_memory = in_memory

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> BubblewrapBackend:
        """Read `disk`: `memory` (root makes a limited file system) or `directory` (is watched).

        Raises:
            Invalid: it is something else.
        """
        disk = settings.get("disk", "memory")
        if disk not in {"memory", "directory"}:
            raise Invalid(_("The disk of a sandbox is either memory or directory."))
        return cls(in_memory=disk == "memory")

    def probe(self) -> Probe:
        """Run `true` in a new workspace and look what limits it."""
        program = find_program()
        if program is None:
            detail = "bubblewrap is not installed. As root: apt-get install bubblewrap"
            return Probe(works=False, detail=detail)
        key = f"probe-{secrets.token_hex(8)}"
        try:
            workspace = self.create(key, SandboxLimits())
            result = workspace.exec(["/usr/bin/true"], timeout_seconds=_PROBE_SECONDS)
            limits = self._limits(self._places.session(key))
        except (ProjectError, OSError) as error:
            return Probe(works=False, detail=_advice(str(error)))
        finally:
            self.destroy(key)
        if result.exit_code != 0:
            detail = _advice(result.stderr.decode("utf-8", "replace"))
            return Probe(works=False, detail=detail)
        return Probe(works=True, detail=_weakness(limits), version=_version(program), limits=limits)

    def create(
        self, key: str, limits: SandboxLimits, skills: Sequence[SkillMount] = ()
    ) -> Workspace:
        """Return the workspace of `key`; see `sandbox.contract.SandboxBackend`.

        Raises:
            SandboxFailed: the host does not let us.
        """
        session = self._places.session(key)
        lost = False
        try:
            if not layout.exists(session):
                lost = session.record() is not None
                layout.make(session, key, limits, in_memory=self._in_memory)
            groups = _limited_groups(session, limits)
            view = layout.view_of(session, skills)
        except OSError as error:
            raise SandboxFailed(f"A sandbox could not be made: {error}") from error
        record = session.record()
        return BubblewrapWorkspace(
            key,
            session,
            view,
            limits=limits,
            groups=groups,
            quota=record is not None and record.tmpfs,
            lost=lost,
        )

    def list(self) -> Iterator[SandboxInfo]:
        """Give every workspace; what an interrupted `destroy` left is removed meanwhile."""
        for leftover in self._places.leftovers():
            layout.clear(leftover)
        for session in self._places.sessions():
            record = session.record()
            if record is not None:
                yield SandboxInfo(
                    key=record.key, created_at=record.created_at, running=layout.exists(session)
                )

    def destroy(self, key: str) -> None:
        """End everything of a workspace; a command that runs in it is told that it is gone."""
        removed = self._places.move_away(self._places.session(key))
        if removed is not None:
            layout.clear(removed)

    def _limits(self, session: Session) -> dict[str, Enforcement]:
        record = session.record()
        grouped = groups_of(session.id) is not None
        quota = record is not None and record.tmpfs
        kernel, watched = Enforcement.KERNEL, Enforcement.WATCHED
        filtered = can_filter()
        return {
            "memory": kernel if grouped else watched,
            "cpu": kernel if grouped or filtered else Enforcement.NONE,
            "processes": kernel,
            "disk": kernel if quota else watched,
            "files": kernel if quota else watched,
            "network": kernel,
            "system_calls": kernel if filtered else Enforcement.NONE,
            "user": kernel if layout.is_root() else Enforcement.NONE,
        }


def _limited_groups(session: Session, limits: SandboxLimits) -> ControlGroups | None:
    groups = groups_of(session.id)
    if groups is not None:
        groups.prepare(limits)
    return groups


def _advice(message: str) -> str:
    """Return what an administrator should do about an error of `bwrap`."""
    for sign, advice in _ADVICE:
        if sign in message:
            return f"{advice} ({message.strip()[:200]})"
    return f"bubblewrap does not work here: {message.strip()[:300]}"


def _weakness(limits: Mapping[str, Enforcement]) -> str:
    watched = sorted(name for name, how in limits.items() if how is Enforcement.WATCHED)
    missing = sorted(name for name, how in limits.items() if how is Enforcement.NONE)
    sentences = []
    if watched:
        sentences.append(f"Only watched, so passed for moments: {', '.join(watched)}.")
    if missing:
        sentences.append(f"Not limited here: {', '.join(missing)}.")
    if "user" in missing:
        sentences.append("Commands run as the user of this server, shut in by name spaces.")
    return " ".join(sentences)


def _version(program: str) -> str:
    finished = subprocess.run(  # noqa: S603  found by us
        [program, "--version"], capture_output=True, text=True, timeout=10, check=False
    )
    return finished.stdout.removeprefix("bubblewrap").strip()
