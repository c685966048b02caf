"""Files that attack their reader: each is refused with a reason, or read safely, and others go on.

Run: `python -m benchmarks.hostile`. Every file goes through the isolated door with the limits of the
product while a thread reads a plain file again and again. Exit code 1 when one takes over 30 seconds
or 1 GB of resident memory, when something leaks, or when the plain file is not read meanwhile.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._report import finish, print_table, progress
from knowledge.ingest import parse
from knowledge.ingest.helper_process import Outcome
from knowledge.ingest.parse import ParseRefused, parse_file
from tests.knowledge.ingest.hostile import HOSTILE

NAME = "hostile files"
MAX_SECONDS, MAX_BYTES = 30.0, 1_000_000_000


@dataclass(frozen=True)
class Ending:
    """How one file ended."""

    name: str
    size_bytes: int
    result: str
    reason: str
    seconds: float
    peak_bytes: int

    @property
    def is_fine(self) -> bool:
        fast = self.seconds < MAX_SECONDS and self.peak_bytes < MAX_BYTES
        return fast and self.result not in {"leaked", "crashed", "empty"}


class Watch:
    """Notes the peak memory of every child of the parser process."""

    def __init__(self) -> None:
        self.peak_bytes = 0
        self._run = parse._PARSERS.run
        parse._PARSERS.run = self._watched  # type: ignore[method-assign]  # the benchmark listens

    def _watched(self, *arguments: object, **more: object) -> Outcome:
        outcome = self._run(*arguments, **more)  # type: ignore[arg-type]  # as it came
        if threading.current_thread() is threading.main_thread():
            self.peak_bytes = max(self.peak_bytes, outcome.peak_bytes)
        return outcome


def try_file(path: Path, watch: Watch) -> Ending:
    """Read one file as the product does."""
    watch.peak_bytes = 0
    started, reason = time.monotonic(), ""
    try:
        document = parse_file(path, path.name)
        result = "leaked" if "root:x:0" in document.text else "read"
        if not (document.text.strip() or document.pages_without_text):
            result = "empty"
    except ParseRefused as refusal:
        result, reason = refusal.code, refusal.reason
    seconds = time.monotonic() - started
    return Ending(path.name, path.stat().st_size, result, reason, seconds, watch.peak_bytes)


def read_plain(path: Path, stop: threading.Event, seconds: list[float]) -> None:
    """Read an honest file until told to stop, and note how long each time took."""
    while not stop.wait(0.2):
        started = time.monotonic()
        if parse_file(path, path.name).text == "still alive":
            seconds.append(time.monotonic() - started)


def main() -> int:
    """Try every file, print the table and the last line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only these files")
    names = parser.parse_args().names or list(HOSTILE)
    with tempfile.TemporaryDirectory(prefix="weknora-hostile-") as folder:
        plain = Path(folder) / "plain.txt"
        plain.write_text("still alive", encoding="utf-8")
        stop, waited = threading.Event(), list[float]()
        reader = threading.Thread(target=read_plain, args=(plain, stop, waited))
        watch = Watch()
        reader.start()
        endings = []
        for name in names:
            path = Path(folder) / name
            path.write_bytes(HOSTILE[name]())
            endings.append(try_file(path, watch))
            progress(f"{name}: {endings[-1].result}")
            Path(path).unlink()
        stop.set()
        reader.join()
    return report(endings, waited)


def report(endings: list[Ending], waited: list[float]) -> int:
    """Print what happened; return the exit code."""
    print_table(
        ("file", "MB", "result", "s", "peak MB", "reason"),
        [
            (
                ending.name,
                f"{ending.size_bytes / 1e6:.2f}",
                ending.result,
                f"{ending.seconds:.1f}",
                f"{ending.peak_bytes / 1e6:.0f}",
                ending.reason[:70],
            )
            for ending in endings
        ],
    )
    slowest = max(waited, default=float("inf"))
    print_table(
        ("an honest file meanwhile", "times", "slowest s"), [("", len(waited), f"{slowest:.1f}")]
    )
    fine = sum(ending.is_fine for ending in endings)
    return finish(
        NAME,
        f"{fine} of {len(endings)} ended well, an honest file took at most {slowest:.1f} s",
        target=f"all, each < {MAX_SECONDS:.0f} s and < {MAX_BYTES / 1e9:.0f} GB",
        met=fine == len(endings) and bool(waited) and slowest < MAX_SECONDS,
    )


if __name__ == "__main__":
    sys.exit(main())
