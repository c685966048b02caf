"""One worker process: `python -m weknora_site.worker runs` or `… ingest`.

Threads, because runs and ingestion wait for models, sockets and the isolated parsers; what eats
the processor has processes of its own. The worker of runs also carries the scheduler and the
housekeeper as threads.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weknora_site.settings")
os.environ.setdefault("WEKNORA_DATABASE_POOL", "24")
django.setup()

from celery.signals import worker_ready, worker_shutting_down  # noqa: E402  after the settings
from django.conf import settings  # noqa: E402
from django.core.exceptions import ImproperlyConfigured  # noqa: E402

from core.aio import take_short_turns  # noqa: E402
from core.live import live  # noqa: E402
from weknora_site.celery import app  # noqa: E402
from weknora_site.heartbeats import beat_until, own_beat  # noqa: E402
from weknora_site.housekeeper import HousekeeperThread  # noqa: E402
from weknora_site.scheduler import SchedulerThread  # noqa: E402


@dataclass(frozen=True)
class Role:
    """What a worker does."""

    name: str
    queues: tuple[str, ...]
    threads: int
    keeps_time: bool
    """Runs the scheduler and the housekeeper as well."""


def roles() -> dict[str, Role]:
    """Return the roles by name."""
    return {
        "runs": Role("runs", ("runs", "default", "enrich"), settings.RUN_THREADS, keeps_time=True),
        "ingest": Role("ingest", ("ingest",), int(live("INGEST_THREADS")), keeps_time=False),
    }


class Companions:
    """The threads beside the pool: they begin when the worker is ready and end before it."""

    def __init__(self, role: Role) -> None:
        self._role = role
        self._stop = threading.Event()
        self._threads: list[SchedulerThread | HousekeeperThread] = []
        worker_ready.connect(self._begin, weak=False)
        worker_shutting_down.connect(self._end, weak=False)

    def _begin(self, **_: Any) -> None:
        if self._role.keeps_time:
            self._threads = [SchedulerThread(app), HousekeeperThread()]
        for thread in self._threads:
            thread.start()
        worker = own_beat(
            self._role.name, queues=self._role.queues, scheduler=self._role.keeps_time
        )
        threading.Thread(
            target=beat_until, args=(self._stop, worker), name="beat", daemon=True
        ).start()

    def _end(self, **_: Any) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.stop()


def main(arguments: list[str] | None = None) -> int:
    """Work until SIGTERM, which lets running jobs end; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m weknora_site.worker")
    parser.add_argument("role", choices=sorted(roles()))
    role = roles()[parser.parse_args(arguments).role]
    if not settings.SECRETS_ARE_KEPT:
        raise ImproperlyConfigured("there are no secrets yet: run `manage.py start` once")
    take_short_turns()
    # Celery warns about root because of pickle, which is not accepted here.
    warnings.filterwarnings("ignore", message=".*superuser privileges")
    Companions(role)
    # Typed as if it never returned; it does, after a warm shutdown.
    work: Callable[[list[str]], None] = app.worker_main
    work(_celery_arguments(role))
    return 0


def _celery_arguments(role: Role) -> list[str]:
    return [
        "--quiet",
        "worker",
        "--pool=threads",
        f"--concurrency={role.threads}",
        f"--queues={','.join(role.queues)}",
        f"--hostname={role.name}@%h",
        f"--loglevel={settings.LOG_LEVEL}",
        # Workers need not know each other; their beats go to the broker.
        "--without-gossip",
        "--without-mingle",
        "--without-heartbeat",
    ]


if __name__ == "__main__":
    sys.exit(main())
