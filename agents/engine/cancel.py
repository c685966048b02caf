"""Stopping a run from outside: the token, and awaiting things that it may interrupt."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any

from agents.engine.errors import RunCancelled


class CancelToken:
    """Asks a run to stop; everything the engine awaits for long is interrupted.

    It belongs to one event loop: from another thread call it with `loop.call_soon_threadsafe`.
    """

    def __init__(self, parent: CancelToken | None = None) -> None:
        """A token with a parent fires with it, and may fire alone."""
        self._event = asyncio.Event()
        self._open: set[_Interruptible] = set()
        self._children: list[CancelToken] = []
        if parent is not None:
            parent._children.append(self)
            if parent.cancelled:
                self.cancel()

    @property
    def cancelled(self) -> bool:
        """Whether the run shall stop."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask the run to stop; a second call changes nothing."""
        if self.cancelled:
            return
        self._event.set()
        for scope in list(self._open):
            scope.fire()
        for child in self._children:
            child.cancel()

    def check(self) -> None:
        """Raise `RunCancelled` when the run shall stop."""
        if self.cancelled:
            raise RunCancelled

    async def wait(self) -> None:
        """Return when the run shall stop."""
        await self._event.wait()

    def interruptible(self) -> _Interruptible:
        """Make a `with` block whose awaits end in `RunCancelled` when the token fires."""
        return _Interruptible(self._open, self)


class _Interruptible:
    """Cancels the task that is inside of the block, as `asyncio.timeout` does at its deadline."""

    def __init__(self, scopes: set[_Interruptible], token: CancelToken) -> None:
        self._scopes = scopes
        self._token = token
        self._task: asyncio.Task[Any] | None = None
        self._cancelling = 0
        self._fired = False

    def fire(self) -> None:
        """Cancel the task, unless it has left the block."""
        if self._task is None or self not in self._scopes:
            return
        if self._task is asyncio.current_task():
            # It runs, so it may leave the block before it awaits: look again when it has not.
            asyncio.get_running_loop().call_soon(self.fire)
            return
        self._fired = True
        self._task.cancel()

    def __enter__(self) -> None:
        self._token.check()
        self._task = asyncio.current_task()
        if self._task is None:
            raise RuntimeError("interruptible() needs a running task")
        self._cancelling = self._task.cancelling()
        self._scopes.add(self)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._scopes.discard(self)
        if self._fired and self._task is not None:
            others = self._task.uncancel() > self._cancelling
            if others:
                return
            if kind is asyncio.CancelledError:
                raise RunCancelled from error
        if kind is None:
            self._token.check()
