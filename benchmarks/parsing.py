"""Files and megabytes a processor second through the parsers, isolated and in process.

Run: `python -m benchmarks.parsing [FOLDER [EXPECTATIONS]]`. Holds the texts against a list of
expectations, beside markitdown and kreuzberg where they are installed. Reads every shared document in several rounds and adds
up the processor time of this process, the parser process and its children; the best round counts.
Exit code 1 when the target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._report import finish, no_data, print_table, progress, shared_data
from knowledge.ingest import parse
from knowledge.ingest.isolated import parse_content
from knowledge.ingest.parse import limits_for, parse_file, run_parser
from knowledge.ingest.warmup import warm_parsers
from knowledge.ingest.wire import document_from_json
from knowledge.parsers.contract import ParsedDocument
from tests.knowledge.parsers.expectations import Check, load_checks

NAME = "parsing, isolated"
TARGET_FILES = 25.0
TARGET_PDF, TARGET_OTHERS = 0.88, 0.95
PEERS = ("markitdown", "kreuzberg")
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


def checks_held(texts: dict[str, str], checks: list[Check]) -> Counter[tuple[str, bool]]:
    """Count by (type, held); a file without a text holds nothing."""
    return Counter(
        (check.type, check.file in texts and check.holds_for(texts[check.file])) for check in checks
    )


def shares(counted: Counter[tuple[str, bool]]) -> tuple[float, float]:
    """Return the shares held of the checks of PDF, and of all others."""

    def share(wanted: Callable[[str], bool]) -> float:
        held = sum(count for (kind, ok), count in counted.items() if ok and wanted(kind))
        all_of_them = sum(count for (kind, _), count in counted.items() if wanted(kind))
        return held / max(all_of_them, 1)

    return share(lambda kind: kind == "pdf"), share(lambda kind: kind != "pdf")


def print_checks(counted: Counter[tuple[str, bool]]) -> None:
    """Print the checks held by type."""
    kinds = sorted({kind for kind, _ in counted})
    rows = [
        (kind, counted[kind, True], counted[kind, True] + counted[kind, False]) for kind in kinds
    ]
    print_table(("type", "held", "of"), rows)


def peer(system: str, folder: Path, checks: list[Check]) -> list[str] | None:
    """Read the same files with another system; None when it is not installed."""
    python = os.environ.get("WEKNORA_PEERS_PYTHON", sys.executable)
    script = Path(__file__).with_name("_peers.py")
    done = subprocess.run(  # noqa: S603 - our own script
        [python, str(script), system, str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return None
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    counted = checks_held({line["file"]: line["text"] for line in lines}, checks)
    spent = sum(line["cpu"] for line in lines)
    pdf, others = shares(counted)
    megabytes = sum((folder / line["file"]).stat().st_size for line in lines) / 1e6
    return [
        system,
        f"{sum(1 for line in lines if line['text'].strip())}/{len(lines)}",
        f"{pdf:.0%}",
        f"{others:.0%}",
        f"{len(lines) / spent:.1f}",
        f"{megabytes / spent:.1f}",
        f"{max(line['peak_mb'] for line in lines):.0f}",
    ]


def read_all(paths: list[Path]) -> tuple[dict[str, str], float]:
    """Return the texts through the isolated door, and the most memory of a child, MB."""
    texts: dict[str, str] = {}
    peak = 0
    for path in paths:
        with path.open("rb") as content:
            outcome = run_parser(
                {"work": "parse", "name": path.name},
                content=content.fileno(),
                limits=limits_for(path.stat().st_size),
                should_cancel=None,
            )
        texts[path.name] = document_from_json((outcome.answer or {})["document"]).text
        peak = max(peak, outcome.peak_bytes)
    return texts, peak / 1e6


def main() -> int:
    """Measure all ways, print the tables and the last line."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, default=shared_data("documents"))
    arguments.add_argument(
        "expectations", nargs="?", type=Path, default=shared_data("expectations.jsonl")
    )
    given = arguments.parse_args()
    folder: Path = given.folder
    paths = sorted(path for path in folder.glob("*") if path.is_file())
    if not paths:
        return no_data(NAME, folder)
    checks = load_checks(given.expectations)
    progress(f"{len(paths)} files, {len(checks)} checks, {ROUNDS} rounds each way")
    texts, peak = read_all(paths)
    counted = checks_held(texts, checks)
    print_checks(counted)
    isolated = measure(paths, isolated=True)
    warm_parsers()
    in_process = measure(paths, isolated=False)
    print_table(
        ["way", "files/cpu-s", "MB/cpu-s", "files/s", "PDF pages/cpu-s"],
        [isolated.row("isolated"), in_process.row("in process")],
    )
    value, (pdf, others) = isolated.files / isolated.cpu_seconds, shares(counted)
    ours = ["this, isolated", f"{len(texts)}/{len(paths)}", f"{pdf:.0%}", f"{others:.0%}"]
    ours += [f"{value:.1f}", f"{isolated.megabytes / isolated.cpu_seconds:.1f}", f"{peak:.0f}"]
    found = [peer(system, folder, checks) for system in PEERS]
    print_table(
        ["system", "read", "PDF checks", "other checks", "files/cpu-s", "MB/cpu-s", "peak MB"],
        [ours, *(row for row in found if row)],
    )
    for system, row in zip(PEERS, found, strict=True):
        if row is None:
            progress(f"{system} is not installed: name its Python in WEKNORA_PEERS_PYTHON")
    return finish(
        NAME,
        f"{value:.1f} files/s/core, {pdf:.1%} of PDF checks, {others:.1%} of others",
        target=f"≥ {TARGET_FILES:.0f} files/s/core, ≥ {TARGET_PDF:.0%}, ≥ {TARGET_OTHERS:.0%}",
        met=value >= TARGET_FILES and pdf >= TARGET_PDF and others >= TARGET_OTHERS,
    )


if __name__ == "__main__":
    sys.exit(main())
