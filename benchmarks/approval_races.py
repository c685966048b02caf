"""Random interleavings around approvals: exactly one outcome each, and no side effect without one.

Each case is a run with one or two waiting calls, on which threads do at once what people, clocks and
workers do: approve, reject, edit, click twice, replay another call's decision, let time run out, stop,
look, take the person's membership away, and work. Every process has a PostgreSQL database of its own
in a throw-away installation. Prints what happened; exit code 1 when a promise was broken.

    python benchmarks/approval_races.py [--cases N] [--seed N] [--processes N]
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._report import finish, print_table, progress
from core.embedded.layout import Layout
from core.embedded.services import embedded_services
from weknora_site.supervisor import image

NAME = "approval_races"
TARGET = "0 broken promises"
SETTINGS = {
    "WEKNORA_LOG_LEVEL": "ERROR",
    "DJANGO_SETTINGS_MODULE": "weknora_site.settings",
}


def measure(
    cases: int, *, seed: int, processes: int, folder: Path
) -> tuple[Counter[str], list[str]]:
    """Play the cases; return what was counted and which promises were broken."""
    environment = SETTINGS | {"WEKNORA_DATA_DIR": str(folder)}
    os.environ.update(environment)
    with embedded_services(Layout(folder), durable=False):
        image.load(environment)
        _join(_fork_migration())
        shares = [cases // processes + (n < cases % processes) for n in range(processes)]
        children = [
            _fork_share(share, seed=seed + n, number=n, folder=folder)
            for n, share in enumerate(shares)
        ]
        for child in children:
            _join(child)
        counts: Counter[str] = Counter()
        broken: list[str] = []
        for number in range(processes):
            found = json.loads((folder / f"races-{number}.json").read_text(encoding="utf-8"))
            counts.update(found["counts"])
            broken += found["broken"]
    return counts, broken


def _fork_migration() -> int:
    pid = os.fork()
    if pid == 0:
        from django.core.management import call_command  # noqa: PLC0415  after the settings

        _end_child(lambda: call_command("migrate", verbosity=0, interactive=False))
    return pid


def _fork_share(share: int, *, seed: int, number: int, folder: Path) -> int:
    pid = os.fork()
    if pid == 0:
        _end_child(lambda: _play(share, seed=seed, number=number, folder=folder))
    return pid


def _end_child(task: object) -> NoReturn:
    code = 1
    try:
        assert callable(task)
        task()
        code = 0
    except Exception:  # noqa: BLE001  it must never return into the parent's code
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def _join(pid: int) -> None:
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
        raise SystemExit(f"{NAME}: a part failed, see above")


def _play(share: int, *, seed: int, number: int, folder: Path) -> None:
    from django.conf import settings  # noqa: PLC0415  in the fork

    from accounts.models import Space  # noqa: PLC0415  after the settings
    from benchmarks._races import races_in  # noqa: PLC0415  the same

    logging.disable(logging.CRITICAL)  # refusals and broken-off work are what is tried here
    settings.CHANNEL_LAYERS["default"] = {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    _use_own_database(f"races_{number}")
    broken: list[str] = []
    space = Space.objects.create(name=f"Races {number}")
    with races_in(space, seed=seed) as races:
        for played in range(1, share + 1):
            broken += races.play()
            if played % 500 == 0:
                progress(f"process {number}: {played} of {share}, {len(broken)} broken")
    report = {"counts": races.counts, "broken": broken}
    (folder / f"races-{number}.json").write_text(json.dumps(report), encoding="utf-8")


def _use_own_database(name: str) -> None:
    """Copy the migrated database and point this process at the copy: jobs are not shared."""
    import psycopg  # noqa: PLC0415  a fork has no connection yet
    from django.db import connections  # noqa: PLC0415  after the settings
    from psycopg import sql  # noqa: PLC0415

    original = connections["default"].get_connection_params()
    address = {
        key: original[key] for key in ("host", "port", "user", "password") if key in original
    }
    with psycopg.connect(**address, dbname="postgres", autocommit=True) as connection:
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
            sql.Identifier(name), sql.Identifier(str(original["dbname"]))
        )
        connection.execute(statement)
    connections["default"].settings_dict["NAME"] = name
    connections.settings["default"]["NAME"] = name


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weknora-races-", dir="/var/tmp") as folder:
        counts, broken = measure(
            arguments.cases,
            seed=arguments.seed,
            processes=arguments.processes,
            folder=Path(folder),
        )
    rows = [(name, f"{counts[name]:,}") for name in sorted(counts)]
    print_table(("in so many cases, or so often", "number"), rows)
    for each in broken[:50]:
        progress(each)
    seconds = time.monotonic() - began
    value = f"{len(broken)} broken promises in {arguments.cases:,} cases, {seconds:.0f} s"
    return finish(NAME, value, target=TARGET, met=not broken)


if __name__ == "__main__":
    sys.exit(main())
