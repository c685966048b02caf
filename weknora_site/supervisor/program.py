"""What the supervisor runs: one value for each kind of process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from weknora_site.supervisor import image

EXIT_GIVE_UP = 3
"""A program ends with it when starting it again would not help; it has said why."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """One process that should always run."""

    name: str
    argv: tuple[str, ...] = ()
    entry: Callable[[], int] | None = None
    """Run in a fork of the supervisor, instead of `argv` in a new process."""
    environment: dict[str, str] = field(default_factory=dict, repr=False)
    grace_seconds: float = 8.0
    """From the request to end until it is ended by force."""
    stop_last: bool = False
    """Others need it while they end."""


def programs(*, models_port: int, models_key: str, data_dir: str) -> dict[str, Program]:
    """Return all programs by name, in the order in which they start."""
    found = (
        Program(
            name="models",
            argv=(
                *(sys.executable, "-m", "providers.local.server"),
                *("--port", str(models_port), "--data-dir", data_dir),
            ),
            environment={"WEKNORA_LOCAL_MODELS_KEY": models_key},
            grace_seconds=6.0,
            stop_last=True,
        ),
        Program(name="web", entry=image.web, grace_seconds=5.0),
        Program(name="runs", entry=image.worker("runs")),
        Program(name="ingest", entry=image.worker("ingest")),
    )
    return {program.name: program for program in found}


def prepare_program(*, forked: bool) -> Program:
    """Return what makes the database fit to serve."""
    if forked:
        return Program(name="prepare", entry=image.prepare)
    return Program(name="prepare", argv=(sys.executable, "manage.py", "prepare"))
