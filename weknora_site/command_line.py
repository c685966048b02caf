"""Runs a management command with what it needs: nothing, the services, or the models too.

Whatever runs already is used and left alone; what was started here ends with the command.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence

from core.embedded.errors import EmbeddedError
from core.embedded.layout import REPOSITORY_DIR
from core.embedded.processes import die_with_parent
from core.embedded.services import embedded_services
from weknora_site.supervisor.lock import RunLock
from weknora_site.supervisor.main import main as start
from weknora_site.supervisor.options import UsageError, parse

WITHOUT_SERVICES = frozenset(
    {
        *("help", "version", "--help", "--version", "-h", "check", "makemigrations"),
        *("makemessages", "compilemessages", "collectstatic", "findstatic", "diffsettings"),
        *("startapp", "startproject", "spectacular", "serve_models", "sqlmigrate"),
    }
)
WITH_MODELS = frozenset({"ingest", "ask", "search"})
"""Commands that need the built-in models; without live workers they do their jobs themselves."""
START_SECONDS = 240


def run(argv: Sequence[str]) -> int:
    """Run the command line; return the exit code."""
    name = argv[1] if len(argv) > 1 else "help"
    if name == "start" and not {"-h", "--help"} & set(argv):
        return start(list(argv[2:]))
    try:
        with background(name, arguments=argv[2:]) as alone:
            from django.core.management import (  # noqa: PLC0415  settings need the services' ports
                execute_from_command_line,
            )

            if alone:
                _prepare(execute_from_command_line)
            execute_from_command_line(list(argv))
    except (EmbeddedError, UsageError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    return 0


@contextlib.contextmanager
def background(name: str, *, arguments: Sequence[str]) -> Iterator[bool]:
    """Have for the block what the command needs, and leave things as they were found.

    Yields whether the command is alone: nothing runs, so nobody has prepared the database.
    """
    if name in WITHOUT_SERVICES or {"-h", "--help", "--version"} & set(arguments):
        yield False
        return
    options = parse([])
    with contextlib.ExitStack() as stack:
        if options.embedded_needed:
            stack.enter_context(embedded_services(options.layout))
        alone = name in WITH_MODELS and not RunLock(options.layout).is_taken()
        if alone:
            stack.enter_context(_parts("models"))
        yield alone


def _prepare(execute: Callable[[list[str]], None]) -> None:
    """Prepare the database in this process; what it says is not the command's output."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            execute(["manage.py", "prepare"])
    except SystemExit as end:
        if end.code:
            raise EmbeddedError("the database could not be prepared, see above") from None


@contextlib.contextmanager
def _parts(names: str) -> Iterator[None]:
    """Run some parts of the installation for the block; their log goes to standard error."""
    read, write = os.pipe()
    process = subprocess.Popen(  # noqa: S603  our own program
        [
            sys.executable,
            "manage.py",
            "start",
            "--parts",
            names,
            "--no-prepare",
            "--ready-fd",
            str(write),
        ],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        cwd=REPOSITORY_DIR,
        pass_fds=(write,),
        # Ctrl-C reaches this process, which then ends that one.
        process_group=0,
        preexec_fn=die_with_parent(signal.SIGTERM),
    )
    os.close(write)
    try:
        _await_byte(read)
        yield
    finally:
        os.close(read)
        process.terminate()
        process.wait()


def _await_byte(descriptor: int) -> None:
    """Wait until the other side says that it is ready."""
    readable, _, _ = select.select([descriptor], [], [], START_SECONDS)
    if not readable:
        raise EmbeddedError(f"the workers were not ready after {START_SECONDS} s, see above")
    if not os.read(descriptor, 1):
        raise EmbeddedError("the workers could not be started, see above")
