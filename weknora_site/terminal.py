"""What the commands for people at a terminal share: who acts, waiting for work, ways to end.

Exit codes: 0 all is well, 1 something was refused or failed, 2 the command could not be carried out.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NoReturn

import redis
from django.db import connection

from accounts.access import Actor
from accounts.actors import actor_of
from accounts.constants import MembershipState, Role
from accounts.models import Membership, Space
from core.errors import ProjectError
from core.jobs.work import work
from core.tenancy import space_scope
from weknora_site.heartbeats import live_workers

CANNOT = 2
_PAUSE_SECONDS = 0.2
_THREADS = 2


def add_space_argument(parser: ArgumentParser) -> None:
    """Add `--space` and `--json`."""
    parser.add_argument(
        "--space", default="", help="name or number of the space (default: the first one)"
    )
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")


@contextmanager
def acting(space: str) -> Iterator[Actor]:
    """Act as the owner of a space, in its scope; an expected error ends the command with code 2."""
    try:
        found = _find_space(space)
        actor = _owner_of(found)
        with space_scope(found.pk):
            yield actor
    except ProjectError as error:
        give_up(error.message)


def give_up(message: str) -> NoReturn:
    """Say on stderr why nothing can be done, and end with code 2."""
    sys.stderr.write(f"{message}\n")
    sys.exit(CANNOT)


def write_json(value: Any) -> None:
    """Print one JSON object to stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def wait_until(done: Callable[[], bool], *, queue: str) -> None:
    """Return when `done()` is true; when no worker serves `queue`, do its jobs here meanwhile."""
    if _is_served(queue):
        while not done():
            time.sleep(_PAUSE_SECONDS)
        return
    with ThreadPoolExecutor(_THREADS, thread_name_prefix=queue) as pool:
        running = [pool.submit(_work_until, done, queue) for _ in range(_THREADS)]
        for each in running:
            each.result()


def _work_until(done: Callable[[], bool], queue: str) -> None:
    try:
        while not done():
            if not work(queue):
                time.sleep(_PAUSE_SECONDS)
    finally:
        connection.close()


def _is_served(queue: str) -> bool:
    try:
        return any(queue in worker.queues for worker in live_workers())
    except redis.RedisError:
        return False


def _find_space(wanted: str) -> Space:
    spaces = Space.objects.order_by("pk")
    if not wanted:
        space = spaces.first()
        if space is None:
            give_up("There is no space yet: start the server once with `make run`.")
        return space
    named = spaces.filter(name__iexact=wanted).first()
    if named is None and wanted.isdigit():
        named = spaces.filter(pk=int(wanted)).first()
    if named is None:
        give_up(f"There is no space {wanted!r}.")
    return named


def _owner_of(space: Space) -> Actor:
    owner = (
        Membership.objects.filter(space=space, role=Role.OWNER, state=MembershipState.ACTIVE)
        .select_related("user")
        .order_by("joined_at", "pk")
        .first()
    )
    if owner is None:
        give_up(f"The space {space.name!r} has no owner in whose name this could be done.")
    return actor_of(owner.user, space_id=space.pk)
