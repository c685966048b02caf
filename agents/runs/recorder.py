"""Takes the loop's events as they come, joins token deltas, stores all and publishes what is stored."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from agents.engine.events import (
    AgentEvent,
    AnswerFinished,
    RoundStarted,
    RunStarted,
    ThoughtFinished,
    UsageReported,
    is_delta,
)
from agents.engine.state import RunState as LoopState
from agents.runs.store import Lease, join_deltas, record
from core.aio import in_db

JOIN_SECONDS = 0.06
"""Deltas of this long become one row and one message; measured: 40-80 ms reads as smooth."""
_WITHOUT_STATE = (RunStarted, RoundStarted, ThoughtFinished, UsageReported, AnswerFinished)
"""Written with what follows, so that the model is asked at once and the first words need one
transaction. Resuming from the state before them asks the model again; nothing was done yet."""


class Recorder:
    """Writes one run's events in their order; the first delta of a burst goes out at once."""

    def __init__(self, lease: Lease, *, on_stop: Callable[[], None]) -> None:
        """Call `on_stop` when a write tells that a person wants the run to stop."""
        self._lease = lease
        self._on_stop = on_stop
        self._held: list[AgentEvent] = []
        self._state: LoopState | None = None
        """The loop's state that belongs to what is held; the loop waits while it is written."""
        self._due = asyncio.Event()
        self._lock = asyncio.Lock()
        self._quiet_since = 0.0
        self.failure: BaseException | None = None
        """What ended the background writer, e.g. `LeaseLost`."""

    async def add(self, event: AgentEvent, state: LoopState) -> None:
        """Take one event; what others wait for is stored, with the state, before this returns.

        Deltas and a few others are stored a moment later, or with what comes next.

        Raises:
            LeaseLost: another worker has the run.
        """
        if self.failure is not None:
            raise self.failure
        self._held.append(event)
        if isinstance(event, _WITHOUT_STATE):
            self._due.set()
        elif not is_delta(event):
            # Whoever writes the event, this call or the joining task, writes its state with it.
            self._state = state
            await self._write()
        elif asyncio.get_running_loop().time() - self._quiet_since > JOIN_SECONDS:
            await self._write()
        else:
            self._due.set()

    async def run(self) -> None:
        """Write held deltas a little later; cancel it when the loop has ended."""
        while True:
            await self._due.wait()
            await asyncio.sleep(JOIN_SECONDS)
            self._due.clear()
            try:
                await self._write()
            except Exception as error:  # noqa: BLE001  handed to the next `add`, which raises it
                self.failure = error
                return

    async def flush(self) -> None:
        """Store what is held."""
        await self._write()

    async def _write(self) -> None:
        async with self._lock:
            held, self._held = self._held, []
            state, self._state = self._state, None
            if not held:
                return
            stop_asked = await in_db(record, self._lease, join_deltas(held), state)
            self._quiet_since = asyncio.get_running_loop().time()
        if stop_asked:
            with contextlib.suppress(RuntimeError):
                self._on_stop()
