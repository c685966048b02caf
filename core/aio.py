"""Bridges between async code and the rest: the ORM on one side, worker threads on the other."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import ThreadSensitiveContext
from channels.db import database_sync_to_async

P = ParamSpec("P")
R = TypeVar("R")
LANES = 32
"""Threads of a process in which the blocks of `db_lane` call the ORM."""


async def in_db(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a sync service in a worker thread, in the caller's space scope."""
    result: R = await database_sync_to_async(function)(*args, **kwargs)
    return result


SWITCH_SECONDS = 0.0005


def take_short_turns() -> None:
    """Let the threads of this process take shorter turns than Python's 5 ms.

    Each answer of the database must wait for its turn, and a short request asks many times.
    """
    sys.setswitchinterval(SWITCH_SECONDS)


class _Lane:
    """A thread that stays, and how many blocks call the ORM in it."""

    def __init__(self, number: int) -> None:
        self.executor = ThreadPoolExecutor(1, thread_name_prefix=f"db-lane-{number}")
        self.blocks = 0


@lru_cache(maxsize=1)
def _lanes_of(_process: int) -> list[_Lane]:
    """Return the process's lanes; a forked one has none of its parent's threads."""
    return [_Lane(number) for number in range(LANES)]


@asynccontextmanager
async def db_lane() -> AsyncIterator[None]:
    """Let the block's ORM calls run in one thread, beside those of other blocks.

    Without it the calls of a whole process share one thread. The threads stay: to start and join
    one for every block costs more than most of the calls.
    """
    lane = min(_lanes_of(os.getpid()), key=lambda each: each.blocks)
    lane.blocks += 1
    try:
        async with ThreadSensitiveContext(executor=lane.executor):
            yield
    finally:
        lane.blocks -= 1


_lasting: weakref.WeakSet[asyncio.AbstractEventLoop] = weakref.WeakSet()


def loop_lasts() -> bool:
    """Say whether the running loop is one that stays, so that connections may be kept for it."""
    return asyncio.get_running_loop() in _lasting


class LoopThread:
    """One event loop in a thread of its own, for a whole worker process.

    Clients and channel layers that hold connections belong to a loop; one loop that stays keeps
    them open from one run to the next.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, coroutine: Coroutine[Any, Any, R]) -> Future[R]:
        """Begin the coroutine in the caller's context; the loop is started when it does not run."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._running_loop())

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or not self._loop.is_running():
                self._loop = asyncio.new_event_loop()
                _lasting.add(self._loop)
                ready = threading.Event()
                self._loop.call_soon(ready.set)
                threading.Thread(
                    target=self._loop.run_forever, name=self._name, daemon=True
                ).start()
                ready.wait()
            return self._loop
