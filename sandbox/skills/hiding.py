"""Takes values of variables out of what commands print, before the model or a person reads it.

A net and no wall: a command that encodes a value still gets it out. What must not leave is not given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sandbox.contract import ExecResult

SHORTEST = 6
"""Characters: shorter values would take ordinary words out."""
_PLATFORM = "WEKNORA_"


def without_values(result: ExecResult, variables: Mapping[str, str]) -> ExecResult:
    """Return a result in which the names of variables stand for their values."""
    stdout, stderr = result.stdout, result.stderr
    for name, value in sorted(variables.items(), key=lambda each: -len(each[1])):
        if len(value) >= SHORTEST and not name.startswith(_PLATFORM):
            secret, shown = value.encode(errors="surrogateescape"), f"[{name}]".encode()
            stdout, stderr = stdout.replace(secret, shown), stderr.replace(secret, shown)
    return replace(result, stdout=stdout, stderr=stderr)
