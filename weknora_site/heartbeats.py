"""What workers say about themselves in the broker, so that readiness need not ask them."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from dataclasses import asdict, dataclass

import redis
from django.conf import settings

PREFIX = "weknora:worker:"
EVERY_SECONDS = 4.0
VALID_SECONDS = 15
"""Three beats may be lost before a worker counts as gone."""


@dataclass(frozen=True)
class WorkerBeat:
    """One worker process that lives."""

    name: str
    queues: tuple[str, ...]
    host: str
    pid: int
    scheduler: bool
    """Whether it runs the scheduler, too."""


def own_beat(name: str, *, queues: tuple[str, ...], scheduler: bool) -> WorkerBeat:
    """Return what this process says about itself."""
    return WorkerBeat(
        name=name, queues=queues, host=socket.gethostname(), pid=os.getpid(), scheduler=scheduler
    )


def beat(client: redis.Redis, worker: WorkerBeat) -> None:
    """Say that the worker lives."""
    client.set(_key(worker), json.dumps(asdict(worker)), ex=VALID_SECONDS)


def beat_until(stop: threading.Event, worker: WorkerBeat) -> None:
    """Beat until the event is set, over every loss of the broker; then take the beat back."""
    with redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=3, socket_connect_timeout=3
    ) as client:
        while True:
            # The worker's own connection reports a loss; this one only waits for its end.
            with contextlib.suppress(redis.RedisError):
                beat(client, worker)
            if stop.wait(EVERY_SECONDS):
                break
        with contextlib.suppress(redis.RedisError):
            client.delete(_key(worker))


def live_workers() -> list[WorkerBeat]:
    """Return the workers that have beaten lately, by name.

    Raises:
        redis.RedisError: the broker does not answer.
    """
    with redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=3, socket_connect_timeout=3
    ) as client:
        keys = list(client.scan_iter(match=f"{PREFIX}*", count=1000))
        values = client.mget(keys) if keys else []
    beats = [json.loads(value) for value in values if value]
    return sorted(
        (WorkerBeat(**{**one, "queues": tuple(one["queues"])}) for one in beats),
        key=lambda one: (one.name, one.pid),
    )


def _key(worker: WorkerBeat) -> str:
    return f"{PREFIX}{worker.host}:{worker.pid}"
