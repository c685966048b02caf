"""Workers that are killed at random instants: is any run lost, any side effect done twice, any gap?

One process loads the product and forks from it a worker that serves runs (the real one, with its
housekeeping) and an asker; then it kills the worker with SIGKILL at random instants and forks another
at once. The model is scripted and served over HTTP; one of its tools has a side effect that must
never be repeated: it appends a line to a file. A call that was cut off with unknown outcome waits
for a person, who says no. Prints what became of the runs; exit code 1 when a promise was broken.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._forks import fork, has_ended, kill, wait_for
from benchmarks._model_service import start_model_service
from benchmarks._report import finish, print_table, progress
from core.embedded.layout import Layout
from core.embedded.services import embedded_services
from weknora_site.supervisor import image

NAME = "kills"
TARGET = "0 lost, 0 twice, 0 gaps"
IN_FLIGHT = 10
"""Runs asked for at a time; a space may have eight in flight."""
SECONDS_BETWEEN_KILLS = (4.0, 10.0)
LIMIT_SECONDS = 3600.0
SETTINGS = {
    "WEKNORA_JOB_LEASE_SECONDS": "1",
    "WEKNORA_JOB_HEARTBEAT_SECONDS": "0.2",
    "WEKNORA_HOUSEKEEPING_SECONDS": "0.3",
    "WEKNORA_LOG_LEVEL": "ERROR",
    "LLM_MODEL_NAME": "scripted",
    "DJANGO_SETTINGS_MODULE": "weknora_site.settings",
}


@dataclass
class Findings:
    """What was counted at the end."""

    runs: int = 0
    killed: int = 0
    recoveries: int = 0
    most_in_flight: int = 0
    seconds: float = 0.0
    effects: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)

    @property
    def kept(self) -> bool:
        """Whether every promise was kept."""
        return not (self.lost or self.twice or self.gaps)


def measure(runs: int, *, seed: int, folder: Path) -> Findings:
    """Carry `runs` runs out under fire; `folder` is empty and holds the installation for it."""
    model, address = start_model_service("deliveries")
    environment = SETTINGS | {"LLM_BASE_URL": address, "WEKNORA_DATA_DIR": str(folder)}
    os.environ.update(environment)
    try:
        with embedded_services(Layout(folder), durable=False):
            image.load(environment)
            _register_tools(folder / "effects.txt")
            wait_for(fork(image.prepare), what=NAME)
            return _under_fire(runs, random.Random(seed), folder)  # noqa: S311  a seed, no secret
    finally:
        model.terminate()
        model.wait()


def _under_fire(runs: int, chance: random.Random, folder: Path) -> Findings:
    began, killed = time.monotonic(), 0
    report = folder / "report.json"
    worker = fork(image.worker("runs"))
    asker = fork(lambda: _ask_all(runs, chance.random(), report, folder / "effects.txt"))
    while (ended := os.waitpid(asker, os.WNOHANG))[0] == 0:
        pause = chance.uniform(*SECONDS_BETWEEN_KILLS)
        end = time.monotonic() + pause
        while time.monotonic() < end and not has_ended(asker):
            time.sleep(0.05)
        kill(worker)
        killed += 1
        worker = fork(image.worker("runs"))
        if time.monotonic() - began > LIMIT_SECONDS:
            os.kill(asker, signal.SIGTERM)
    kill(worker)
    if ended[1] or not report.exists():
        raise SystemExit(f"{NAME}: the asker failed, see above")
    found = Findings(**json.loads(report.read_text(encoding="utf-8")))
    found.killed, found.seconds = killed, time.monotonic() - began
    return found


def _register_tools(effects: Path) -> None:
    from agents.tools.registry import register_tools  # noqa: PLC0415  after the settings
    from benchmarks._parcels import parcel_tools  # noqa: PLC0415  the same

    register_tools(parcel_tools(effects))


def _ask_all(runs: int, seed: float, report: Path, effects: Path) -> int:
    from benchmarks._asker import Asker  # noqa: PLC0415  after the settings

    chance = random.Random(seed)  # noqa: S311
    asker = Asker(tools=("deliver", "look_up"))
    waiting = [f"Hand over parcels in {chance.randint(1, 4)} rounds, run {n}" for n in range(runs)]
    asked: list[UUID] = []
    while waiting or asker.open_runs:
        while waiting and len(asker.open_runs) < IN_FLIGHT:
            asked.append(asker.ask(waiting.pop()))
            if len(asked) % 100 == 0:
                progress(f"{len(asked)} of {runs} asked")
        asker.look()
        time.sleep(0.1)
    found = asker.findings(asked, _effects(effects))
    report.write_text(json.dumps(found), encoding="utf-8")
    return 0


def _effects(path: Path) -> Counter[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return Counter((line.split()[0], line.split()[1]) for line in lines)


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="weknora-kills-", dir="/var/tmp") as folder:
        found = measure(arguments.runs, seed=arguments.seed, folder=Path(folder))
    print_table(
        ("counted", "number"),
        [
            ("runs", found.runs),
            ("workers killed", found.killed),
            ("most runs in flight", found.most_in_flight),
            ("side effects done", found.effects),
            ("unknown outcomes asked about", found.recoveries),
            ("lost runs", len(found.lost)),
            ("side effects done twice", len(found.twice)),
            ("runs with a gap", len(found.gaps)),
            ("seconds", f"{found.seconds:.0f}"),
        ],
    )
    for broken in (*found.lost, *found.twice, *found.gaps):
        progress(broken)
    value = f"{len(found.lost)} lost, {len(found.twice)} twice, {len(found.gaps)} gaps"
    met = found.kept and found.most_in_flight >= 8 and found.killed > 0
    return finish(NAME, f"{value} in {found.runs} runs", target=TARGET, met=met)


if __name__ == "__main__":
    sys.exit(main())
