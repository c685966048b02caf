"""What the supervisor runs: one value for each kind of process."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

EXIT_GIVE_UP = 3
"""A program ends with it when starting it again would not help; it has said why."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """One process that should always run."""

    name: str
    argv: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict, repr=False)
    grace_seconds: float = 8.0
    """From the request to end until it is ended by force."""
    stop_last: bool = False
    """Others need it while they end."""


def programs(*, models_port: int, models_key: str, data_dir: str) -> dict[str, Program]:
    """Return all programs by name, in the order in which they start."""
    python = (sys.executable, "-m")
    found = (
        Program(
            name="models",
            argv=(
                *(*python, "providers.local.server"),
                *("--port", str(models_port), "--data-dir", data_dir),
            ),
            environment={"WEKNORA_LOCAL_MODELS_KEY": models_key},
            grace_seconds=4.0,
            stop_last=True,
        ),
        Program(name="web", argv=(*python, "weknora_site.web"), grace_seconds=5.0),
        Program(name="runs", argv=(*python, "weknora_site.worker", "runs")),
        Program(name="ingest", argv=(*python, "weknora_site.worker", "ingest")),
    )
    return {program.name: program for program in found}
