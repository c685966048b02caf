"""Files and megabytes a processor second through the parsers, isolated and in process.

Run: `python -m benchmarks.parsing [FOLDER]`. Reads every shared document in several rounds and adds
up the processor time of this process, the parser process and its children; the best round counts.
Exit code 1 when the target is missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks._report import finish, no_data, print_table, progress, shared_data
from knowledge.ingest import parse
from knowledge.ingest.isolated import parse_content
from knowledge.ingest.parse import parse_file
from knowledge.ingest.warmup import warm_parsers
from knowledge.parsers.contract import ParsedDocument

NAME = "parsing, isolated"
TARGET_FILES = 25.0
ROUNDS = 5


@dataclass(frozen=True)
class Speed:
    """What one way of reading took."""

    files: int
    megabytes: float
    cpu_seconds: float
    wall_seconds: float
    pdf_pages: int
    pdf_cpu_seconds: float

    def row(self, way: str) -> list[str]:
        return [
            way,
            f"{self.files / self.cpu_seconds:.1f}",
            f"{self.megabytes / self.cpu_seconds:.1f}",
            f"{self.files / self.wall_seconds:.1f}",
            f"{self.pdf_pages / self.pdf_cpu_seconds:.0f}",
        ]


def cpu_seconds(*, isolated: bool) -> float:
    """Processor time of this process, of the parser process and of the children it has collected."""
    own = time.process_time()
    process_id = parse._PARSERS.process_id if isolated else None
    if process_id is None:
        return own
    times = psutil.Process(process_id).cpu_times()
    return float(own + times.user + times.system + times.children_user + times.children_system)


def measure(paths: list[Path], *, isolated: bool) -> Speed:
    """Read all files in rounds and return the best one: other work on the machine only adds."""
    for path in paths:
        read(path, isolated=isolated)
    rounds = [measure_round(paths, isolated=isolated) for _ in range(ROUNDS)]
    return min(rounds, key=lambda speed: speed.cpu_seconds)


def measure_round(paths: list[Path], *, isolated: bool) -> Speed:
    """Read all files once."""
    spent: Counter[str] = Counter()
    pages = 0
    started, cpu_before = time.monotonic(), cpu_seconds(isolated=isolated)
    for path in paths:
        before = cpu_seconds(isolated=isolated)
        document = read(path, isolated=isolated)
        spent[path.suffix] += cpu_seconds(isolated=isolated) - before
        if path.suffix == ".pdf":
            pages += document.page_count or 0
    return Speed(
        files=len(paths),
        megabytes=sum(path.stat().st_size for path in paths) / 1e6,
        cpu_seconds=cpu_seconds(isolated=isolated) - cpu_before,
        wall_seconds=time.monotonic() - started,
        pdf_pages=pages,
        pdf_cpu_seconds=spent[".pdf"],
    )


def read(path: Path, *, isolated: bool) -> ParsedDocument:
    """Read one file."""
    return parse_file(path, path.name) if isolated else parse_content(path.read_bytes(), path.name)


def main() -> int:
    """Measure both ways, print the table and the last line."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, default=shared_data("documents"))
    folder: Path = arguments.parse_args().folder
    paths = sorted(path for path in folder.glob("*") if path.is_file())
    if not paths:
        return no_data(NAME, folder)
    progress(f"{len(paths)} files, {ROUNDS} rounds each way")
    isolated = measure(paths, isolated=True)
    warm_parsers()
    in_process = measure(paths, isolated=False)
    print_table(
        ["way", "files/cpu-s", "MB/cpu-s", "files/s", "PDF pages/cpu-s"],
        [isolated.row("isolated"), in_process.row("in process")],
    )
    value = isolated.files / isolated.cpu_seconds
    return finish(
        NAME,
        f"{value:.1f} files/s/core",
        target=f"≥ {TARGET_FILES:.0f} files/s/core",
        met=value >= TARGET_FILES,
    )


if __name__ == "__main__":
    sys.exit(main())
