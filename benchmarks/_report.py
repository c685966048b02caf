"""How a benchmark reports: a table, then one last line with its value and its target."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

MET, MISSED, NO_DATA = 0, 1, 2
"""Exit codes."""


def shared_data(*parts: str) -> Path:
    """Return where the shared data of benchmarks are."""
    root = os.environ.get("WEKNORA_SHARED")
    repository = Path(__file__).resolve().parent.parent
    return (Path(root) if root else repository.parent / "shared").joinpath("data", *parts)


def print_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under a header; the first column to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        first, *others = (
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        sys.stdout.write("  ".join([first, *others]).rstrip() + "\n")


def finish(name: str, value: str, *, target: str, met: bool) -> int:
    """Print the last line; return the exit code."""
    sys.stdout.write(f"{name}: {value} (target {target})\n")
    sys.stdout.flush()
    return MET if met else MISSED


def no_data(name: str, path: Path) -> int:
    """Say that there is nothing to measure with; return the exit code."""
    sys.stdout.write(f"{name}: there are no data in {path} (set WEKNORA_SHARED)\n")
    return NO_DATA


def progress(text: str) -> None:
    """Tell on standard error what is going on."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
