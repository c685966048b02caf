"""Uploads while workers are killed at random: does every document end, ready or with a reason?

One process loads the product and forks the workers and an uploader from it; then it kills the worker
that reads documents with SIGKILL at random instants and forks another at once. Files are of many
kinds, some empty, damaged or hostile. At the end all rows are counted: a document that is not done,
has no reason, whose passages, vectors or keywords are missing, twice or miscounted, or whose timeline
shows a step that never ended breaks the promise.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._embedding_service import start_embedding_service
from benchmarks._forks import fork, has_ended, kill, wait_for
from benchmarks._report import finish, print_table, progress
from core.embedded.layout import Layout
from core.embedded.services import embedded_services
from weknora_site.supervisor import image

NAME = "upload_kills"
TARGET = "0 lost, 0 broken"
SECONDS_BETWEEN_KILLS = (12.0, 40.0)
"""A worker loads its parsers first, ten seconds on a busy machine; killed sooner it does nothing."""
LIMIT_SECONDS = 3600.0
EMBEDDING_MS = 3.0
SETTINGS = {
    "WEKNORA_JOB_LEASE_SECONDS": "2",
    "WEKNORA_JOB_HEARTBEAT_SECONDS": "0.4",
    "WEKNORA_HOUSEKEEPING_SECONDS": "0.5",
    "WEKNORA_LOG_LEVEL": "ERROR",
    "WEKNORA_LOCAL_MODELS": "false",
    "WEKNORA_SSRF_ALLOW": "127.0.0.1",
    "DJANGO_SETTINGS_MODULE": "weknora_site.settings",
}


@dataclass
class Findings:
    """What was counted at the end."""

    documents: int = 0
    killed: int = 0
    seconds: float = 0.0
    states: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)


def measure(documents: int, *, seed: int, folder: Path) -> Findings:
    """Put `documents` files in under fire; `folder` is empty and holds the installation for it."""
    service, address = start_embedding_service(EMBEDDING_MS)
    environment = SETTINGS | {"WEKNORA_DATA_DIR": str(folder)}
    os.environ.update(environment)
    try:
        with embedded_services(Layout(folder), durable=False):
            image.load(environment)
            wait_for(fork(image.prepare), what=NAME)
            return _under_fire(documents, random.Random(seed), folder, address)  # noqa: S311
    finally:
        service.terminate()
        service.wait()


def _under_fire(documents: int, chance: random.Random, folder: Path, address: str) -> Findings:
    began, killed = time.monotonic(), 0
    report = folder / "report.json"
    keeper = fork(image.worker("runs"))
    worker = fork(image.worker("ingest"))
    seed = chance.random()
    uploader = fork(lambda: _upload_all(documents, seed, report, address))
    while not has_ended(uploader):
        end = time.monotonic() + chance.uniform(*SECONDS_BETWEEN_KILLS)
        while time.monotonic() < end and not has_ended(uploader):
            time.sleep(0.05)
        kill(worker)
        killed += 1
        worker = fork(image.worker("ingest"))
    kill(worker)
    kill(keeper)
    wait_for(uploader, what=NAME)
    found = Findings(**json.loads(report.read_text(encoding="utf-8")))
    found.killed, found.seconds = killed, time.monotonic() - began
    return found


def _upload_all(documents: int, seed: float, report: Path, address: str) -> int:
    from benchmarks._library import Library, make_mixed_file  # noqa: PLC0415  after the settings

    chance = random.Random(seed)  # noqa: S311
    library = Library("Fire", embedding_address=address)
    for number in range(documents):
        library.add(make_mixed_file(number, chance))
    progress(f"{documents} documents are put in")
    limit = time.monotonic() + LIMIT_SECONDS
    while (left := library.open_documents()) and time.monotonic() < limit:
        progress(f"{left} are not done")
        time.sleep(5)
    found = {
        "documents": sum(library.states().values()),
        "states": library.states(),
        "counts": library.counts(),
        "broken": library.broken_promises(),
    }
    report.write_text(json.dumps(found), encoding="utf-8")
    return 0


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weknora-uploads-", dir="/var/tmp") as folder:
        found = measure(arguments.documents, seed=arguments.seed, folder=Path(folder))
    lost = arguments.documents - found.documents
    print_table(
        ("counted", "number"),
        [
            ("documents", found.documents),
            ("workers killed", found.killed),
            *(sorted(found.states.items())),
            *found.counts.items(),
            ("lost", lost),
            ("broken promises", len(found.broken)),
            ("seconds", f"{found.seconds:.0f}"),
        ],
    )
    for broken in found.broken:
        progress(broken)
    value = f"{lost} lost, {len(found.broken)} broken"
    # Kills that hit no work at all would show nothing.
    met = not lost and not found.broken and found.counts["documents whose worker died"] > 0
    return finish(NAME, f"{value} in {found.documents} documents", target=TARGET, met=met)


if __name__ == "__main__":
    sys.exit(main())
