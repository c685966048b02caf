"""Runs `git`: in an environment of our own, without anybody's settings, for a limited time."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from django.utils.translation import gettext_noop

from core.errors import ProjectError

LEAST_VERSION: Final = (2, 37)
"""The first that takes the numbers of a name from us instead of asking the resolver again."""
MISSING: Final = gettext_noop("There is no Git on this server: install git 2.37 or newer.")
TOO_LONG: Final = gettext_noop("Git did not end in time.")
_POLL_SECONDS: Final = 0.5
_MOST_OUTPUT: Final = 4_000
"""Characters of what git says that an error keeps."""


class GitFailed(ProjectError):
    """Git is missing, took too long, or ended with an error; `said` is for the log, redacted."""

    def __init__(self, message: str, *, said: str = "") -> None:
        super().__init__(message)
        self.said = said[-_MOST_OUTPUT:]


@lru_cache(maxsize=1)
def git_program() -> str:
    """Return the path of a git that is new enough; blank when there is none."""
    found = shutil.which("git")
    if found is None:
        return ""
    done = subprocess.run(  # noqa: S603  no argument of anybody
        [found, "--version"], capture_output=True, text=True, timeout=10, check=False
    )
    numbers = re.search(r"(\d+)\.(\d+)", done.stdout)
    is_new = numbers is not None and (int(numbers[1]), int(numbers[2])) >= LEAST_VERSION
    return found if is_new else ""


def environment(config: Mapping[str, str], *, protocols: str = "") -> dict[str, str]:
    """Return all variables that git gets: no file of settings, no questions, no hooks.

    `config` goes by variables, so that no secret in it stands in a list of processes. `protocols`
    are those that git may speak, with colons; blank: none.
    """
    settings = {
        "core.hooksPath": os.devnull,
        "credential.helper": "",
        "protocol.allow": "never",
        "protocol.https.allow": "always" if "https" in protocols else "never",
        "gc.auto": "0",
        **config,
    }
    variables = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": protocols or "none",
        "GIT_CONFIG_COUNT": str(len(settings)),
    }
    for number, (name, value) in enumerate(settings.items()):
        variables[f"GIT_CONFIG_KEY_{number}"] = name
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def git(
    folder: Path,
    *arguments: str,
    given: bytes = b"",
    config: Mapping[str, str] | None = None,
    protocols: str = "",
    secrets: Sequence[str] = (),
    timeout_seconds: float = 300.0,
    check: Callable[[], None] | None = None,
) -> bytes:
    """Return what git says of the bare repository in `folder`.

    `check` is asked about twice a second whether to go on; what it raises ends git.

    Raises:
        GitFailed: git is missing, ended with an error, or after `timeout_seconds`.
    """
    program = git_program()
    if not program:
        raise GitFailed(MISSING)
    with subprocess.Popen(  # noqa: S603  the program is git, the arguments are checked
        [program, f"--git-dir={folder}", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(config or {}, protocols=protocols),
        cwd=folder if folder.is_dir() else folder.parent,
        start_new_session=True,
    ) as process:
        try:
            out, error = _communicate(process, given, timeout_seconds, check)
        except BaseException:
            _end(process)
            raise
    if process.returncode:
        said = redacted(error.decode(errors="replace"), secrets)
        raise GitFailed(f"Git ended with the code {process.returncode}.", said=said)
    return out


def redacted(text: str, secrets: Sequence[str]) -> str:
    """Return a text without secrets, and without who signs in by an address."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "•••")
    return re.sub(r"(?<=://)[^/@\s]+@", "•••@", text)


def _communicate(
    process: subprocess.Popen[bytes],
    given: bytes,
    timeout_seconds: float,
    check: Callable[[], None] | None,
) -> tuple[bytes, bytes]:
    deadline = time.monotonic() + timeout_seconds
    sent: bytes | None = given
    while True:
        try:
            return process.communicate(sent, timeout=_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            sent = None  # it goes on with what it has
        if check is not None:
            check()
        if time.monotonic() > deadline:
            raise GitFailed(TOO_LONG)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End git with the programs that it began."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait(timeout=10)
