"""One space uploads thousands of files, another one file: how long does the second wait?

First B uploads alone, some times: its idle time. Then A puts all its files in, through the service
behind the page's door, while the worker that reads is held, so that all of them wait when it goes on.
Once A's first is read (a worker that was held starts its parsers anew, as before the idle rounds), B
uploads again, one file at a time, beside them: each must be searchable within the larger of twice the
idle time and five seconds more than it. Then the measuring is over, and what A still has in
the queue is dropped unread. The embedding model takes one passage at a time, as a small one does.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._embedding_service import start_embedding_service
from benchmarks._forks import fork, kill, wait_for
from benchmarks._report import finish, print_table, progress
from core.embedded.layout import Layout
from core.embedded.services import embedded_services
from weknora_site.supervisor import image

NAME = "fairness"
LIMIT_SECONDS = 300.0
"""A file that is not searchable by then ends the measuring."""
SETTINGS = {
    "WEKNORA_LOG_LEVEL": "ERROR",
    "WEKNORA_LOCAL_MODELS": "false",
    "WEKNORA_SSRF_ALLOW": "127.0.0.1",
    "DJANGO_SETTINGS_MODULE": "weknora_site.settings",
}


@dataclass
class Findings:
    """What was measured; seconds from upload to searchable are B's, one a round."""

    idle: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    """How many files of A were not done after each busy round."""
    put_in_seconds: float = 0.0
    start_seconds: float = 0.0
    """From letting the held worker go until the first file of A was read."""

    @property
    def bound(self) -> float:
        """How long B may wait beside A."""
        idle = statistics.median(self.idle)
        return max(2 * idle, idle + 5)


def measure(files: int, *, rounds: int, milliseconds: float, folder: Path) -> Findings:
    """Return B's seconds idle and beside A's files; `folder` is empty and holds the installation."""
    service, address = start_embedding_service(milliseconds)
    environment = SETTINGS | {"WEKNORA_DATA_DIR": str(folder)}
    os.environ.update(environment)
    report = folder / "report.json"
    try:
        with embedded_services(Layout(folder), durable=False):
            image.load(environment)
            progress("the database is made")
            wait_for(fork(image.prepare), what=NAME)
            keeper, reader = (fork(image.worker(role)) for role in ("runs", "ingest"))
            try:
                upload = fork(lambda: _upload(files, rounds, reader, report, address))
                wait_for(upload, what=NAME)
            finally:
                kill(reader)
                kill(keeper)
    finally:
        service.terminate()
        service.wait()
    return Findings(**json.loads(report.read_text(encoding="utf-8")))


def _upload(files: int, rounds: int, reader: int, report: Path, address: str) -> int:
    from benchmarks._library import Library, make_file  # noqa: PLC0415  after the settings

    chance = random.Random(1)  # noqa: S311
    crowd = Library("Crowd", embedding_address=address)
    single = Library("Single", embedding_address=address)
    numbers = iter(range(10**9))
    found = Findings()

    def upload_one() -> float:
        began = time.monotonic()
        document_id = single.add(make_file(next(numbers), chance))
        return _seconds_until(lambda: single.is_searchable(document_id), began)

    upload_one()  # the worker starts its parsers
    found.idle = [upload_one() for _ in range(rounds)]
    progress(f"B idle: {_words(found.idle)}")
    with _held(reader):
        found.put_in_seconds = _put_in(files, lambda number: crowd.add(make_file(number, chance)))
    found.start_seconds = _seconds_until(lambda: crowd.open_documents() < files, time.monotonic())
    progress(f"the worker reads again after {found.start_seconds:.1f} s")
    for _ in range(rounds):
        found.busy.append(upload_one())
        found.waiting.append(crowd.open_documents())
        progress(f"B beside {found.waiting[-1]} waiting files of A: {found.busy[-1]:.2f} s")
    report.write_text(json.dumps(asdict(found)), encoding="utf-8")
    return 0


def _seconds_until(is_true: Callable[[], bool], began: float) -> float:
    while not is_true():
        if time.monotonic() - began > LIMIT_SECONDS:
            raise SystemExit(f"{NAME}: a file was not searchable after {LIMIT_SECONDS:.0f} s")
        time.sleep(0.02)
    return time.monotonic() - began


def _put_in(files: int, put: Callable[[int], object]) -> float:
    """Put A's files in; return the seconds it took."""
    began = time.monotonic()
    for number in range(1, files + 1):
        put(number)
        if number % 1000 == 0:
            progress(f"{number} of {files} are put in after {time.monotonic() - began:.0f} s")
    return time.monotonic() - began


@contextmanager
def _held(pid: int) -> Iterator[None]:
    """Let a process stand still for the block."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def _words(seconds: list[float]) -> str:
    return f"p50 {statistics.median(seconds):.2f} s, worst {max(seconds):.2f} s"


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--milliseconds", type=float, default=40.0, help="a passage takes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weknora-fairness-", dir="/var/tmp") as folder:
        found = measure(
            arguments.files,
            rounds=arguments.rounds,
            milliseconds=arguments.milliseconds,
            folder=Path(folder),
        )
    waiting = min(found.waiting)
    print_table(
        ("counted", "number"),
        [
            ("files of A", arguments.files),
            ("s to put them in", f"{found.put_in_seconds:.0f}"),
            ("s until the first was read", f"{found.start_seconds:.1f}"),
            ("of them waiting after B's first file", found.waiting[0]),
            ("of them waiting after B's last file, dropped then", waiting),
            ("files of B, idle and beside A", f"{len(found.idle)} + {len(found.busy)}"),
            ("B idle, p50 s", f"{statistics.median(found.idle):.2f}"),
            ("B idle, worst s", f"{max(found.idle):.2f}"),
            ("B beside A, p50 s", f"{statistics.median(found.busy):.2f}"),
            ("B beside A, worst s", f"{max(found.busy):.2f}"),
            ("B may wait s", f"{found.bound:.2f}"),
        ],
    )
    met = max(found.busy) <= found.bound and waiting > 0
    verdict = f"{_words(found.busy)} beside {waiting} waiting files"
    return finish(NAME, verdict, target=f"{found.bound:.2f} s", met=met)


if __name__ == "__main__":
    sys.exit(main())
