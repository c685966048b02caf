"""Keeps the leases of all runs of a process with one statement a second."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID
from weakref import WeakKeyDictionary

from django.db import Error, connection

from agents.runs.store import Lease
from core.aio import db_lane, in_db

logger = logging.getLogger(__name__)
KEEP_SECONDS = 1.0
_KEEP = """
    UPDATE agents_agentrun AS run SET heartbeat_at = now()
    FROM unnest(%s::uuid[], %s::int[]) AS mine(id, epoch)
    WHERE run.id = mine.id AND run.lease_epoch = mine.epoch AND run.state = 'running'
    RETURNING run.id, run.cancel_requested
"""


@dataclass(kw_only=True)
class KeptLease:
    """A lease that is being kept, and what was heard of its run."""

    lease: Lease
    lost: bool = False
    """Another worker has the run, or it is over."""
    stop_asked: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)
    """Set each time one of the others changed."""


class _Keeper:
    """The leases of one event loop, and the task that renews them while there are any."""

    def __init__(self) -> None:
        self.kept: dict[UUID, KeptLease] = {}
        self.task: asyncio.Task[None] | None = None
        self.renewal = asyncio.Lock()
        """Held while the database is asked: who leaves waits, and nothing is written behind it."""

    async def run(self) -> None:
        async with db_lane():
            while self.kept:
                await asyncio.sleep(KEEP_SECONDS)
                async with self.renewal:
                    try:
                        await self._renew(list(self.kept.values()))
                    except Error:
                        logger.warning("Leases of runs could not be renewed; the next time may do.")

    async def _renew(self, kept: list[KeptLease]) -> None:
        if not kept:
            return
        heard = await in_db(renew, [each.lease for each in kept])
        for each in kept:
            stop_asked = heard.get(each.lease.run_id)
            lost, stop = stop_asked is None, bool(stop_asked)
            if (lost, stop) != (each.lost, each.stop_asked):
                each.lost, each.stop_asked = lost, stop
                each.news.set()


_keepers: WeakKeyDictionary[asyncio.AbstractEventLoop, _Keeper] = WeakKeyDictionary()


@asynccontextmanager
async def keeping(lease: Lease) -> AsyncIterator[KeptLease]:
    """Keep the lease while the block runs, on the running loop."""
    keeper = _keepers.setdefault(asyncio.get_running_loop(), _Keeper())
    kept = keeper.kept[lease.run_id] = KeptLease(lease=lease)
    if keeper.task is None or keeper.task.done():
        # Of no space: it serves the runs of all of them.
        coroutine, context = keeper.run(), contextvars.Context()
        keeper.task = asyncio.get_running_loop().create_task(coroutine, context=context)
    try:
        yield kept
    finally:
        if keeper.kept.get(lease.run_id) is kept:
            del keeper.kept[lease.run_id]
        async with keeper.renewal:
            pass


def renew(leases: list[Lease]) -> dict[UUID, bool]:
    """Renew leases; return the runs that are still ours with whether a stop was asked for."""
    ids, epochs = [each.run_id for each in leases], [each.epoch for each in leases]
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, [ids, epochs])
        return dict(cursor.fetchall())
