"""One workspace in a container."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext as _

from core.errors import Invalid, NotFound, TooLarge
from sandbox.backends.capture import Capture
from sandbox.backends.commands import checked_command, checked_directory
from sandbox.backends.docker.archives import (
    LIST_FORMAT,
    FileSink,
    collected,
    first_file,
    listed,
    packed,
)
from sandbox.backends.docker.engine import Client, Container, named
from sandbox.backends.docker.execution import ROOT, USER, Call, Ended, execute
from sandbox.backends.docker.processes import kill_leftovers
from sandbox.backends.environment import environment
from sandbox.backends.paths import HOME, InnerPath, inner_path
from sandbox.contract import (
    MIB,
    WORKSPACE,
    ArtifactLimits,
    CancelCheck,
    Collection,
    ExecResult,
    FileEntry,
    SandboxLimits,
)
from sandbox.errors import SandboxFailed, SandboxGone

_HELPER_SECONDS = 60.0
_KILLED = 137
_MORE_SECONDS = 5
"""The clock inside of the container ends a command this much later, should this process be dead."""
_LINK, _MISSING = 40, 44
_READ_SCRIPT = f"""
[ -e "$1" ] || [ -L "$1" ] || exit {_MISSING}
[ "$(realpath -e -- "$1")" = "$1" ] || exit {_LINK}
[ -f "$1" ] || exit {_LINK}
exec tar -c --hard-dereference -f - -C / -- ".$1"
"""
_WRITE_SCRIPT = f"""
tar -x -m --no-same-owner -f - -C {WORKSPACE} && mv -fT -- "$1" "$2" && exit 0
rm -f -- "$1"
exit 1
"""
_MEMORY_COUNTERS = (
    "/sys/fs/cgroup/memory/memory.oom_control",  # version 1
    "/sys/fs/cgroup/memory.events",
)
_LIST_BYTES = 4 * MIB


class DockerWorkspace:
    """Runs each command in the same container; none of its processes stays."""

    def __init__(
        self,
        key: str,
        client: Client,
        container: Container,
        *,
        limits: SandboxLimits,
        lost: bool = False,
    ) -> None:
        """Use a container that runs; with `lost`, the first command tells that files are gone."""
        self.key = key
        self._client, self._container, self._limits, self._lost = client, container, limits, lost
        self._kept = True
        self._memory_kills = 0

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
        began = time.monotonic()
        inside = str(math.ceil(timeout_seconds) + _MORE_SECONDS)
        stdout, stderr = Capture(self._limits.output_bytes), Capture(self._limits.output_bytes)
        call = Call(
            argv=["timeout", "-s", "KILL", inside, *checked_command(argv)],
            stdout=stdout,
            stderr=stderr,
            timeout_seconds=timeout_seconds,
            cwd=checked_directory(cwd),
            variables=environment(env),
            stdin=stdin,
            cancelled=cancelled,
        )
        self._kept = True
        with named():
            ended = self._run(call)
            if ended.code in {None, _KILLED} and not ended.reason and not self._is_there():
                raise SandboxGone(_("The sandbox was destroyed while a command ran in it."))
            kept = self._kept and kill_leftovers(self._client, self._container)
            out_of_memory = ended.code == _KILLED and self._was_out_of_memory()
        if not kept:
            self.prepare()
        lost, self._lost = self._lost or not kept, False
        return ExecResult(
            exit_code=ended.code,
            stdout=stdout.data,
            stderr=stderr.data,
            stdout_truncated=stdout.truncated,
            stderr_truncated=stderr.truncated,
            timed_out=ended.reason == "time",
            cancelled=ended.reason == "cancelled",
            out_of_memory=out_of_memory,
            over_limit="output" if ended.reason == "output" else "",
            lost=lost,
            duration_seconds=time.monotonic() - began,
        )

    def put(self, path: str, data: bytes, *, read_only: bool = False) -> None:
        """Write a file; see `sandbox.contract.Workspace`."""
        place = inner_path(path)
        if place.is_input is not read_only:
            raise Invalid(_("Below /workspace/input, and only there, files are read-only."))
        if place.parts in {(), ("input",)}:
            raise Invalid(_("%(path)s is not a regular file.") % {"path": place})
        new = InnerPath(parts=(*place.parts[:-1], f".new-{secrets.token_hex(8)}"))
        argv = ["sh", "-c", _WRITE_SCRIPT, "sh", str(new), str(place)]
        ended, _stdout, stderr = self._help(
            argv, stdin=packed(new, data), user=ROOT if read_only else USER
        )
        _check_written(ended, stderr)

    def unpack(self, archive: bytes, directory: str, *, user: str) -> None:
        """Unpack an archive of ours in the container.

        Raises:
            TooLarge: it has no room.
            Invalid: something is in the way.
        """
        argv = ["tar", "-x", "-m", "--no-same-owner", "--unlink-first", "-f", "-", "-C", directory]
        ended, _stdout, stderr = self._help(argv, stdin=archive, user=user)
        _check_written(ended, stderr)

    def get(self, path: str, *, max_bytes: int) -> bytes:
        """Return a regular file; see `sandbox.contract.Workspace`."""
        place = str(inner_path(path))
        sink = FileSink(max_bytes + 64 * 1024)
        with sink.file:
            ended, _none, _error = self._help(["sh", "-c", _READ_SCRIPT, "sh", place], sink=sink)
            if ended.code == _MISSING:
                raise NotFound(_("There is no %(path)s.") % {"path": place})
            content = None if ended.code else first_file(sink.file, max_bytes=max_bytes)
        if content is None:
            message = _("%(path)s is a link, no regular file, or larger than %(size)d bytes.")
            raise Invalid(message % {"path": place, "size": max_bytes})
        return content

    def list_files(self, path: str = WORKSPACE, *, limit: int = 500) -> list[FileEntry]:
        """Return what is below a directory, without the home directory unless it is asked for."""
        place = str(inner_path(path))
        pruned = ["-path", HOME, "-prune", "-o"] if place == WORKSPACE else []
        argv = ["find", place, "-mindepth", "1", *pruned, "-printf", LIST_FORMAT]
        ended, stdout, _stderr = self._help(argv)
        if ended.code and not stdout.total:
            raise NotFound(_("There is no %(path)s.") % {"path": place})
        return listed(stdout.data, limit=limit)

    def collect(self, limits: ArtifactLimits) -> Collection:
        """Return the regular files below `output`; see `sandbox.contract.Workspace`."""
        sink = FileSink(self._limits.workspace_bytes * 2 + MIB)
        argv = ["tar", "-c", "--sparse", "--hard-dereference", "--sort=name"]
        with sink.file:
            self._help([*argv, "-f", "-", "-C", WORKSPACE, "./output"], sink=sink)
            return collected(sink.file, limits)

    def prepare(self) -> None:
        """Make the directories of the user; harmless when they are there."""
        script = f"umask 022; mkdir -p output; mkdir -p -m 700 {HOME}"
        ended, _stdout, stderr = self._help(["sh", "-c", script])
        if ended.code != 0:
            # The file system took over the mode of the image's directory.
            self._help(["chmod", "1777", WORKSPACE], user=ROOT)
            ended, _stdout, stderr = self._help(["sh", "-c", script])
        if ended.code != 0:
            said = stderr.data.decode("utf-8", "replace").strip()[:200]
            raise SandboxFailed(f"The image of the sandbox cannot be used: {said}", retry=False)

    def _help(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes | None = None,
        user: str = USER,
        sink: FileSink | None = None,
    ) -> tuple[Ended, Capture, Capture]:
        """Run a command of ours."""
        stdout, stderr = Capture(_LIST_BYTES), Capture(4096)
        call = Call(
            argv=argv,
            stdout=sink or stdout,
            stderr=stderr,
            timeout_seconds=_HELPER_SECONDS,
            user=user,
            stdin=stdin,
            variables={"LC_ALL": "C.UTF-8"},
        )
        with named():
            return self._run(call), stdout, stderr

    def _run(self, call: Call) -> Ended:
        return execute(self._client, self._container.id, call, stop=self._stop)

    def _stop(self) -> None:
        self._kept = kill_leftovers(self._client, self._container)

    def _is_there(self) -> bool:
        self._container.reload()
        return bool(self._container.status == "running")

    def _was_out_of_memory(self) -> bool:
        """Ask the kernel's own counter: the engine tells only of a container's first process."""
        script = f"cat {' '.join(_MEMORY_COUNTERS)} 2>/dev/null"
        _ended, stdout, _stderr = self._help(["sh", "-c", script])
        lines = [line.split() for line in stdout.data.decode("ascii", "replace").splitlines()]
        kills = sum(int(line[1]) for line in lines if line[:1] == ["oom_kill"])
        before, self._memory_kills = self._memory_kills, kills
        return kills > before


def _check_written(ended: Ended, stderr: Capture) -> None:
    """Raise what `unpack` promises when an archive was not unpacked."""
    if ended.code == 0:
        return
    said = stderr.data.decode("utf-8", "replace")
    if any(sign in said for sign in ("No space left", "Wrote only", "too large", "size limit")):
        raise TooLarge(_("The sandbox has no room for these files."))
    raise Invalid(_("These files cannot be written: %(said)s") % {"said": said[:200]})
