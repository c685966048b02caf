"""A run's events as Server-Sent Events: what is stored, then what comes, until the run is over.

Each message has the event's number as its id, so that a client that lost the connection goes on with
`Last-Event-ID`, without a gap or a repetition. The rows decide; the channel layer only wakes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Any
from uuid import UUID

from channels.layers import get_channel_layer

from accounts.access import Actor
from accounts.actors import actor_of
from accounts.models import User
from agents.constants import OPEN_RUN_STATES
from agents.models import RunEvent
from agents.queries import events_after, get_run
from agents.runs.publish import group_of
from core.aio import db_lane, in_db
from core.errors import ProjectError
from core.tenancy import space_scope

LOOK_SECONDS = 4.0
"""How often the rows are looked at when nothing wakes us."""
KEEP_ALIVE = b": still here\n\n"


async def event_stream(
    user: User, *, space_id: int, conversation_id: UUID, run_id: UUID, after: int
) -> AsyncGenerator[bytes, None]:
    """Yield the run's events after number `after`; ends with the run, or with the person's access."""
    who = partial(actor_of, user, space_id=space_id)
    stored = watch_run(
        who, space_id=space_id, conversation_id=conversation_id, run_id=run_id, after=after
    )
    async with aclosing(stored):
        async for rows in stored:
            for row in rows:
                yield _message(row)
            if not rows:
                yield KEEP_ALIVE


async def watch_run(
    who: Callable[[], Actor], *, space_id: int, conversation_id: UUID, run_id: UUID, after: int
) -> AsyncGenerator[list[RunEvent], None]:
    """Yield the run's events as they are stored; an empty list says that nothing came for a while.

    It ends with the run, or with the access of its reader: `who` makes the actor anew before each
    piece, as they are then, and raises NotFound when they are nobody any more.
    """
    async with db_lane(), _woken_by(conversation_id) as wake:
        while True:
            try:
                rows, is_over = await in_db(_rows_after, who, space_id, run_id, after)
            except ProjectError:
                return
            if rows:
                after = rows[-1].seq_to
            if rows or not is_over:
                yield rows
            if is_over:
                return
            await wake()


def _rows_after(
    who: Callable[[], Actor], space_id: int, run_id: UUID, after: int
) -> tuple[list[RunEvent], bool]:
    """Return what is new, and whether nothing more can come."""
    with space_scope(space_id):
        actor = who()
        run = get_run(actor, run_id)  # before the rows: what ends in between is read next time
        rows = events_after(actor, run_id=run_id, seq=after)
        return rows, run.state not in OPEN_RUN_STATES


def _message(row: RunEvent) -> bytes:
    data = json.dumps({**row.data, "seq_to": row.seq_to}, ensure_ascii=False)
    return f"id: {row.seq_to}\nevent: {row.type}\ndata: {data}\n\n".encode()


@asynccontextmanager
async def _woken_by(conversation_id: UUID) -> AsyncGenerator[Any, None]:
    """Give a function that returns when something was published, or it is time to look."""
    layer = get_channel_layer()
    if layer is None:
        raise RuntimeError("CHANNEL_LAYERS is not set")
    channel = await layer.new_channel()
    await layer.group_add(group_of(conversation_id), channel)

    async def wake() -> None:
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await layer.receive(channel)
        except TimeoutError:
            return

    try:
        yield wake
    finally:
        await layer.group_discard(group_of(conversation_id), channel)
