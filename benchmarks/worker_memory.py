"""Memory of a worker after many PDFs: what reads them lives elsewhere, so it must not grow.

Run: `python -m benchmarks.worker_memory [--files 2000]`. Reads PDFs in this process through the
isolated door, as a worker does, and compares its own memory and that of the parser process after a
tenth of the files with that at the end. Exit code 1 when either grew by more than a tenth.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import sys
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._report import finish, no_data, print_table, progress, shared_data
from knowledge.ingest import parse
from knowledge.ingest.parse import parse_file
from knowledge.ingest.split import SplitSettings, split

NAME = "memory of a worker"
MAX_GROWTH = 0.10
SMALL_BYTES = 400_000
"""Larger files only take time: their text is not kept either."""


def memory_now() -> dict[str, float]:
    """Return the unshared memory of this process and of the parser process, MB."""
    gc.collect()
    process_id = parse._PARSERS.process_id
    sizes = {"worker": psutil.Process().memory_full_info().uss / 1e6}
    if process_id is not None:
        sizes["parser process"] = psutil.Process(process_id).memory_full_info().uss / 1e6
    return sizes


def main() -> int:
    """Read, measure twice, print the table and the last line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2_000)
    count = parser.parse_args().files
    folder = shared_data("documents")
    paths = [path for path in sorted(folder.glob("*.pdf")) if path.stat().st_size < SMALL_BYTES]
    if not paths:
        return no_data(NAME, folder)
    early: dict[str, float] = {}
    for number, path in enumerate(itertools.islice(itertools.cycle(paths), count), start=1):
        split(parse_file(path, path.name), SplitSettings())
        if number == count // 10:
            early = memory_now()
            progress(f"{number} files: {early}")
    late = memory_now()
    growth = {name: late[name] / early[name] - 1 for name in late if name in early}
    print_table(
        ("process", f"MB after {count // 10:,}", f"MB after {count:,}", "growth"),
        [
            (name, f"{early[name]:.1f}", f"{late[name]:.1f}", f"{growth[name]:+.1%}")
            for name in growth
        ],
    )
    worst = max(growth.values(), default=1.0)
    return finish(
        NAME,
        f"{worst:+.1%} from {count // 10:,} to {count:,} PDFs",
        target=f"≤ {MAX_GROWTH:.0%}",
        met=worst <= MAX_GROWTH and len(growth) == 2,
    )


if __name__ == "__main__":
    sys.exit(main())
