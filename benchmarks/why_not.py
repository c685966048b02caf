"""Does the explanation of a missing passage name the stage that is to blame?

Forty faults are seeded one by one (`benchmarks/_faults.py`): texts that were never put in, documents
that failed, passages that were cut, switched off, without vector, closed, elsewhere, pushed out by
others, left out of the answer. Runs in a throw-away database with a model of words, no weights.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._report import finish, print_table, progress

NAME = "why-not"
TARGET_SHARE = 38 / 40


def measure(folder: Path, seed: int) -> tuple[Counter[str], Counter[str], list[str]]:
    """Return how often each kind was made, how often it was told right, and what was told wrong."""
    from benchmarks.canaries import _prepare  # noqa: PLC0415  after the arguments
    from core.embedded.layout import Layout  # noqa: PLC0415  the same
    from core.embedded.services import embedded_services  # noqa: PLC0415  the same
    from weknora_site.supervisor import image  # noqa: PLC0415  the same

    environment = {
        "WEKNORA_DATA_DIR": str(folder),
        "WEKNORA_LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "weknora_site.settings",
    }
    os.environ.update(environment)
    with embedded_services(Layout(folder), durable=False):
        image.load(environment)
        _prepare()
        return _play(seed)


def _play(seed: int) -> tuple[Counter[str], Counter[str], list[str]]:
    from benchmarks import _faults as faults  # noqa: PLC0415  after the settings
    from knowledge.retrieval import retrieve  # noqa: PLC0415  the same

    vars(retrieve)["find_rerank_model"] = lambda _: None
    owner, viewer = faults.make_people()
    made: Counter[str] = Counter()
    right: Counter[str] = Counter()
    wrong: list[str] = []
    for number, (name, make) in enumerate(faults.all_faults()):
        bench = faults.make_bench(owner, viewer, seed=seed + number)
        fault, stage = faults.told(bench, make)
        made[name] += 1
        right[name] += stage == fault.stage
        if stage != fault.stage:
            wrong.append(f"{name}: told {stage!r} instead of {fault.stage!r}")
    return made, right, wrong


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weknora-why-not-", dir="/var/tmp") as folder:
        made, right, wrong = measure(Path(folder), arguments.seed)
    print_table(
        ("fault", "made", "named right"), [(name, made[name], right[name]) for name in made]
    )
    for each in wrong:
        progress(each)
    total, good = made.total(), right.total()
    value = f"{good} of {total} faults named right, {time.monotonic() - began:.0f} s"
    target = "38 of 40" if total == 40 else f"{TARGET_SHARE:.0%}"
    return finish(NAME, value, target=target, met=good >= TARGET_SHARE * total)


if __name__ == "__main__":
    sys.exit(main())
