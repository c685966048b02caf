"""Random interleavings over a wiki: no gap in a history, no edit lost, one published text, true links.

Each case is a wiki of pages that link to each other, on which threads do at once what people and
agents do: edit, propose, approve, click twice, reject, merge, rename, roll back, delete, bring back,
create, sort into folders. Every process has a PostgreSQL database of its own in a throw-away
installation. Prints what happened; exit code 1 when a promise was broken.

    python benchmarks/wiki_races.py [--cases N] [--seed N] [--processes N]
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._forks import fork, wait_for
from benchmarks._report import finish, print_table, progress
from benchmarks.approval_races import SETTINGS, _use_own_database
from core.embedded.layout import Layout
from core.embedded.services import embedded_services
from weknora_site.supervisor import image

NAME = "wiki_races"
TARGET = "0 broken promises"


def measure(
    cases: int, *, seed: int, processes: int, folder: Path
) -> tuple[Counter[str], list[str]]:
    """Play the cases; return what was counted and which promises were broken."""
    environment = SETTINGS | {"WEKNORA_DATA_DIR": str(folder)}
    os.environ.update(environment)
    with embedded_services(Layout(folder), durable=False):
        image.load(environment)
        wait_for(fork(_migrate), what=NAME)
        children: list[int] = []
        for number in range(processes):
            share = cases // processes + (number < cases % processes)
            children.append(
                fork(
                    lambda share=share, number=number: _play(
                        share, seed=seed + number, number=number, folder=folder
                    )
                )
            )
        for child in children:
            wait_for(child, what=NAME)
        counts: Counter[str] = Counter()
        broken: list[str] = []
        for number in range(processes):
            found = json.loads((folder / f"races-{number}.json").read_text(encoding="utf-8"))
            counts.update(found["counts"])
            broken += found["broken"]
    return counts, broken


def _migrate() -> None:
    from django.core.management import call_command  # noqa: PLC0415  after the settings

    call_command("migrate", verbosity=0, interactive=False)


def _play(share: int, *, seed: int, number: int, folder: Path) -> None:
    from django.conf import settings  # noqa: PLC0415  in the fork

    from accounts.models import Space  # noqa: PLC0415  after the settings
    from benchmarks._wiki_races import races_in  # noqa: PLC0415  the same

    logging.disable(logging.CRITICAL)  # refusals are what is tried here
    settings.CHANNEL_LAYERS["default"] = {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    _use_own_database(f"races_{number}")
    broken: list[str] = []
    space = Space.objects.create(name=f"Races {number}")
    with races_in(space, seed=seed) as races:
        for played in range(1, share + 1):
            broken += races.play()
            if played % 100 == 0:
                progress(f"process {number}: {played} of {share}, {len(broken)} broken")
    report = {"counts": races.counts, "broken": broken}
    (folder / f"races-{number}.json").write_text(json.dumps(report), encoding="utf-8")


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weknora-wiki-races-", dir="/var/tmp") as folder:
        counts, broken = measure(
            arguments.cases,
            seed=arguments.seed,
            processes=arguments.processes,
            folder=Path(folder),
        )
    rows = [(name, f"{counts[name]:,}") for name in sorted(counts)]
    print_table(("so often", "number"), rows)
    for each in broken[:50]:
        progress(each)
    seconds = time.monotonic() - began
    value = f"{len(broken)} broken promises in {arguments.cases:,} cases, {seconds:.0f} s"
    return finish(NAME, value, target=TARGET, met=not broken)


if __name__ == "__main__":
    sys.exit(main())
