"""Bridges between async code and the rest: the ORM on one side, worker threads on the other."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

from channels.db import database_sync_to_async

P = ParamSpec("P")
R = TypeVar("R")


async def in_db(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run a sync service in a worker thread, in the caller's space scope."""
    result: R = await database_sync_to_async(function)(*args, **kwargs)
    return result


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
                ready = threading.Event()
                self._loop.call_soon(ready.set)
                threading.Thread(
                    target=self._loop.run_forever, name=self._name, daemon=True
                ).start()
                ready.wait()
            return self._loop
