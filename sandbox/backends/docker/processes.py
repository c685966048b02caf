"""Killing what a command left in its container: files persist, processes do not."""

from __future__ import annotations

import logging
import time

from docker.errors import APIError

from sandbox.backends.capture import Capture
from sandbox.backends.docker.engine import Client, Container
from sandbox.backends.docker.execution import Call, execute

logger = logging.getLogger(__name__)

_OWN_PROCESSES = 2
"""The first process and the one that sleeps."""
_KILL_SECONDS = 10.0


def kill_leftovers(client: Client, container: Container) -> bool:
    """Kill everything of user 1000; return False when the container had to be started anew.

    Raises:
        docker.errors.APIError: the container is not there or does not run.
    """
    deadline = time.monotonic() + _KILL_SECONDS
    while count_processes(client, container) > _OWN_PROCESSES:
        if time.monotonic() >= deadline:
            logger.warning("processes of a sandbox cannot be killed: it is started anew")
            container.restart(timeout=0)
            return False
        _kill_once(client, container)
    return True


def count_processes(client: Client, container: Container) -> int:
    """Return how many processes are in a container."""
    return len(client.api.top(container.id)["Processes"] or ())


def _kill_once(client: Client, container: Container) -> None:
    """Ask the kernel to kill what user 1000 may kill; fails when no process can be started."""
    call = Call(
        argv=["sh", "-c", "kill -9 -1"],
        cwd="/",
        stdout=Capture(1024),
        stderr=Capture(1024),
        timeout_seconds=5.0,
    )
    try:
        execute(client, container.id, call, stop=lambda: None)
    except APIError as error:
        if error.status_code != 500:
            raise
    time.sleep(0.02)
